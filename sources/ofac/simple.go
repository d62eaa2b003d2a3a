package ofac

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

// simple reads sdn.xml. It reads these parts:
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
type simple struct {
	*document
	claimed int // Record_Count
}

// simple returns what reads the records of sdn.xml, and what checks it at its end.
func (d *document) simple() (records map[string]func(*xmlscan.Node) error, check func() error) {
	p := &simple{document: d, claimed: -1}
	return map[string]func(*xmlscan.Node) error{
		"publshInformation": p.information, "publishInformation": p.information, "sdnEntry": p.entry,
	}, p.check
}

func (p *simple) check() error {
	if p.claimed != p.Revision.Records {
		return p.Errorf("", "%d records, but Record_Count is %d", p.Revision.Records, p.claimed)
	}
	return nil
}

func (p *simple) information(n *xmlscan.Node) error {
	f, err := p.Fields(n, "Publish_Date", "Record_Count")
	if err != nil {
		return err
	}
	p.Revision.Published = freetext.Date(f[0], "01/02/2006")
	if p.claimed, err = strconv.Atoi(f[1]); err != nil {
		return p.Errorf("", "Record_Count %.32q: want a number", f[1])
	}
	return nil
}

func (p *simple) entry(n *xmlscan.Node) error {
	p.Revision.Records++
	f, err := p.Fields(n, "uid", "firstName", "lastName")
	if err != nil {
		return err
	}
	uid, name := f[0], strings.TrimSpace(f[1]+" "+f[2])
	if uid == "" {
		return p.Errorf("", "sdnEntry without a uid")
	}
	var programs []string
	for _, program := range n.All("programList", "") {
		programs = append(programs, program.Text)
	}
	if err := p.kind.check(programs); err != nil {
		return p.Errorf(uid, "%w", err)
	}
	h := &freetext.Holder{Ref: uid, Name: name}
	for _, id := range n.All("idList", "") {
		f, err := p.Fields(id, "idType", "idNumber")
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
			return p.Errorf(uid, "idType %.64q: %w", f[0], err)
		}
	}
	h.Find(time.Time{}, strings.Join(n.Texts(), "\n\n"))
	return p.Add(h)
}

var errNoText = errors.New("a wallet of no text")
