package ofac

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

// simple returns what reads the records of sdn.xml, and what checks it at its end. It reads these parts:
//
//	<sdnList>
//	  <publshInformation>                        sic
//	    <Publish_Date>09/23/2026</Publish_Date>
//	    <Record_Count>19391</Record_Count>
//	  </publshInformation>
//	  <sdnEntry>
//	    <uid>27307</uid>
//	    <firstName>…</firstName>                 of people only
//	    <lastName>LAZARUS GROUP</lastName>
//	    <programList>
//	      <program>DPRK3</program>
//	    <idList>
//	      <id>
//	        <idType>Digital Currency Address - ETH</idType>
//	        <idNumber>0x098B716B8Aaf21512996dC57EB0615e2383E2f96</idNumber>
//	      </id>
func (d *document) simple() (records map[string]func(*xmlscan.Node) error, check func() error) {
	return map[string]func(*xmlscan.Node) error{
			"publshInformation": d.information, "publishInformation": d.information, "sdnEntry": d.entry,
		}, func() error {
			if d.claimed != strconv.Itoa(d.Revision.Records) {
				return d.Errorf("", "%d records, but Record_Count is %.32q", d.Revision.Records, d.claimed)
			}
			return nil
		}
}

func (d *document) information(n *xmlscan.Node) error {
	f, err := d.Fields(n, "Publish_Date", "Record_Count")
	if err != nil {
		return err
	}
	d.Revision.Published, d.claimed = freetext.Date(f[0], "01/02/2006"), f[1]
	return nil
}

func (d *document) entry(n *xmlscan.Node) error {
	d.Revision.Records++
	f, err := d.Fields(n, "uid", "firstName", "lastName")
	if err != nil {
		return err
	}
	uid, name := f[0], strings.TrimSpace(f[1]+" "+f[2])
	if uid == "" {
		return d.Errorf("", "sdnEntry without a uid")
	}
	var programs []string
	for _, program := range n.All("programList", "") {
		programs = append(programs, program.Text)
	}
	if err := d.kind.check(programs); err != nil {
		return d.Errorf(uid, "%w", err)
	}
	h := &freetext.Holder{Ref: uid, Name: name}
	for _, id := range n.All("idList", "") {
		f, err := d.Fields(id, "idType", "idNumber")
		if err != nil {
			return err
		}
		if asset, ok := tickerOfType(f[0]); !ok {
			err = freetext.Stray(f[1])
		} else if f[1] == "" {
			err = errNoText
		} else {
			addWallet(h, asset, f[1])
		}
		if err != nil {
			return d.Errorf(uid, "idType %.64q: %w", f[0], err)
		}
	}
	h.Find(time.Time{}, strings.Join(n.Texts(), "\n\n"))
	return d.Add(h)
}

var errNoText = errors.New("a wallet of no text")
