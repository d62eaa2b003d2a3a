package ofac

import (
	"strconv"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/freetext"
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

	// The entry that is being read.
	uid, first, last string
	programs         []string
}

func (p *simple) read() error {
	p.claimed = -1
	err := p.Children(func(name string) error {
		switch name {
		case "publshInformation", "publishInformation":
			return p.Children(p.information)
		case "sdnEntry":
			return p.entry()
		}
		return p.Skip()
	})
	if err != nil {
		return err
	}
	if p.claimed != p.Revision.Records {
		return p.Errorf("", "%d records, but Record_Count is %d", p.Revision.Records, p.claimed)
	}
	return nil
}

func (p *simple) information(name string) error {
	switch name {
	case "Publish_Date":
		text, err := p.content()
		if err != nil {
			return err
		}
		p.Revision.Published, err = time.Parse("01/02/2006", text)
		if err != nil {
			return p.Errorf("", "Publish_Date %.32q: want MM/DD/YYYY", text)
		}
		return nil
	case "Record_Count":
		text, err := p.content()
		if err != nil {
			return err
		}
		p.claimed, err = strconv.Atoi(text)
		if err != nil {
			return p.Errorf("", "Record_Count %.32q: want a number", text)
		}
		return nil
	}
	return p.Skip()
}

func (p *simple) entry() error {
	p.Revision.Records++
	p.uid, p.first, p.last, p.programs = "", "", "", p.programs[:0]
	before := len(p.Wallets)
	err := p.Children(func(name string) (err error) {
		switch name {
		case "uid":
			p.uid, err = p.content()
			return err
		case "firstName":
			p.first, err = p.content()
			return err
		case "lastName":
			p.last, err = p.content()
			return err
		case "idList":
			return p.Children(p.id)
		case "programList":
			return p.Children(func(string) error {
				program, err := p.content()
				if len(p.programs) < maxPrograms {
					p.programs = append(p.programs, program)
				}
				return err
			})
		}
		return p.Skip()
	})
	if err != nil {
		return err
	}
	if p.uid == "" {
		return p.Errorf("", "sdnEntry without a uid")
	}
	if err := p.kind.check(p.programs); err != nil {
		return p.Errorf(p.uid, "%w", err)
	}
	if len(p.Wallets) > before {
		name := p.last
		if p.first != "" {
			name = p.first + " " + p.last
		}
		p.Holders = append(p.Holders, freetext.Holder{Ref: p.uid, Name: name})
	}
	return nil
}

func (p *simple) id(string) error {
	var asset, number string
	var isWallet bool
	types, numbers := 0, 0
	err := p.Children(func(name string) (err error) {
		switch name {
		case "idType":
			var kind string
			types++
			if kind, err = p.Content(); err == nil {
				asset, isWallet = tickerOfType(kind)
			}
			return err
		case "idNumber":
			numbers++
			number, err = p.content()
			return err
		}
		return p.Skip()
	})
	if err == nil && (types > 1 || numbers > 1) {
		return p.Errorf(p.uid, "an <id> with %d types and %d numbers: parts of the file are missing", types, numbers)
	}
	if err != nil || !isWallet {
		return err
	}
	return p.addWallet(p.uid, asset, number)
}
