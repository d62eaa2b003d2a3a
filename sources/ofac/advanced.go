package ofac

import (
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// advanced reads sdn_advanced.xml. It reads these parts, in this order:
//
//	<Sanctions>
//	  <DateOfIssue><Year>2025</Year><Month>3</Month><Day>21</Day></DateOfIssue>
//	  <ReferenceValueSets>
//	    <FeatureTypeValues>
//	      <FeatureType ID="344">Digital Currency Address - XBT</FeatureType>
//	    <ListValues>
//	      <List ID="1550">SDN List</List>
//	  <DistinctParties>
//	    <DistinctParty>
//	      <Profile ID="25308">
//	        <Identity Primary="true">
//	          <Alias Primary="true">
//	            <DocumentedName>                 the first one
//	              <DocumentedNamePart><NamePartValue>YAN</NamePartValue></DocumentedNamePart>
//	        <Feature FeatureTypeID="344">
//	          <FeatureVersion>
//	            <VersionDetail>12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h</VersionDetail>
//	  <SanctionsEntries>
//	    <SanctionsEntry ProfileID="25308" ListID="1550">
//	      <EntryEvent><Date><Year>2019</Year><Month>8</Month><Day>21</Day></Date></EntryEvent>
//
// The document's own tables define its numbers. A document whose sections stand in
// another order is refused, not misread.
//
// A party on several lists of OFAC has entries of all of them in each file. A wallet
// whose holder is not on the list of this file is refused: this is another list, or its
// form has changed. So is a file that lacks a party of its list, and a file most of whose entries are of other lists. All parties
// of the SDN List are on it, and one in two hundred on another list; each party of the
// consolidated list is on another list, and one in five on the SDN List.
type advanced struct {
	*document
	features map[string]feature // by id
	sdn      string             // id of the SDN List
	profiles map[string]int     // the holders by their id; -1: a party without wallets
	onList   []bool             // of holders: there is an entry on the list that is read
	entries  [2]int             // of either list, by kind
	missing  string             // the first party that an entry of the list names and that is not there

	// The profile that is being read.
	id      string
	name    []byte
	hasName bool
}

// A feature is a kind of fact about a party. The feature of a wallet has an asset.
type feature struct {
	asset    string
	isWallet bool
}

func (p *advanced) read() error {
	p.features, p.profiles = make(map[string]feature), make(map[string]int)
	err := p.Children(func(name string) (err error) {
		switch name {
		case "DateOfIssue":
			p.Revision.Published, err = p.date()
			return err
		case "ReferenceValueSets":
			return p.Children(p.values)
		case "DistinctParties":
			return p.Children(p.party)
		case "SanctionsEntries":
			return p.Children(p.entry)
		}
		return p.Skip()
	})
	if err != nil {
		return err
	}
	switch here, elsewhere := p.entries[p.kind], p.entries[1-p.kind]; {
	case here == 0:
		return p.Errorf("", "no entry is on %v", p.kind)
	case here < elsewhere:
		return p.Errorf("", "%d entries are on %v, and %d on others: it is not the list of this file", here, p.kind, elsewhere)
	}
	if p.missing != "" && p.Revision.Records > 0 {
		return p.Errorf(p.missing, "an entry of %v without its party: parts of the file are missing", p.kind)
	}
	for i, ok := range p.onList {
		if !ok {
			return p.Errorf(p.Holders[i].Ref, "a holder of wallets is not on %v", p.kind)
		}
	}
	return nil
}

// date reads a date of the children Year, Month and Day.
func (p *advanced) date() (time.Time, error) {
	var year, month, day int
	err := p.Children(func(name string) error {
		var n *int
		switch name {
		case "Year":
			n = &year
		case "Month":
			n = &month
		case "Day":
			n = &day
		default:
			return p.Skip()
		}
		text, err := p.content()
		if err != nil {
			return err
		}
		if *n, err = strconv.Atoi(text); err != nil {
			return p.Errorf("", "date with the number %.32q", text)
		}
		return nil
	})
	if err != nil {
		return time.Time{}, err
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if y, m, d := t.Date(); y != year || int(m) != month || d != day || y < 1 {
		return time.Time{}, p.Errorf("", "no such date: year %d, month %d, day %d", year, month, day)
	}
	return t, nil
}

// values reads one of the tables.
func (p *advanced) values(name string) error {
	switch name {
	case "FeatureTypeValues":
		return p.Children(func(string) error {
			id, err := p.attr("ID")
			if err != nil {
				return err
			}
			text, err := p.Content()
			if err != nil {
				return err
			}
			var f feature
			f.asset, f.isWallet = tickerOfType(text)
			p.features[id] = f
			return nil
		})
	case "ListValues":
		return p.Children(func(string) error {
			id, err := p.attr("ID")
			if err != nil {
				return err
			}
			text, err := p.content()
			if strings.EqualFold(text, "SDN List") {
				p.sdn = id
			}
			return err
		})
	}
	return p.Skip()
}

// attr returns a required attribute.
func (p *advanced) attr(name string) (string, error) {
	v := p.Attr(name)
	if len(v) == 0 || len(v) > maxText {
		return "", p.Errorf("", "<%.64s> without %s", p.Name(), name)
	}
	return v, nil
}

// party reads a party, and keeps it if it has wallets.
func (p *advanced) party(string) error {
	p.Revision.Records++
	return p.Children(func(name string) (err error) {
		if name != "Profile" {
			return p.Skip()
		}
		if p.id, err = p.attr("ID"); err != nil {
			return err
		}
		p.name, p.hasName = p.name[:0], false
		before := len(p.Wallets)
		if err := p.Children(p.profile); err != nil {
			return err
		}
		i, ok := p.profiles[p.id]
		switch {
		case len(p.Wallets) == before && !ok:
			p.profiles[p.id] = -1
			return nil
		case len(p.Wallets) == before:
			return nil
		case ok && i >= 0:
			return p.Errorf(p.id, "profile that was there before")
		}
		p.profiles[p.id] = len(p.Holders)
		p.Holders = append(p.Holders, freetext.Holder{Ref: p.id, Name: string(p.name)})
		p.onList = append(p.onList, false)
		return nil
	})
}

// profile reads a child of a profile.
func (p *advanced) profile(name string) error {
	switch name {
	case "Identity":
		if !p.isPrimary() {
			return p.Skip()
		}
		return p.Children(p.alias)
	case "Feature":
		return p.feature()
	}
	return p.Skip()
}

func (p *advanced) isPrimary() bool {
	return p.Attr("Primary") == "true"
}

// alias reads a child of an identity, for the name.
func (p *advanced) alias(name string) error {
	if p.hasName || name != "Alias" || !p.isPrimary() {
		return p.Skip()
	}
	return p.Children(func(name string) error {
		if p.hasName || name != "DocumentedName" {
			return p.Skip()
		}
		p.hasName = true
		return p.Children(p.namePart)
	})
}

// namePart reads a child of a name, or of a part of one.
func (p *advanced) namePart(name string) error {
	switch name {
	case "DocumentedNamePart":
		return p.Children(p.namePart)
	case "NamePartValue":
		text, err := p.Content()
		if err != nil {
			return err
		}
		if len(p.name)+len(text) > maxText {
			return p.Errorf(p.id, "name of more than %d bytes", maxText)
		}
		if len(p.name) > 0 {
			p.name = append(p.name, ' ')
		}
		p.name = append(p.name, text...)
		return nil
	}
	return p.Skip()
}

// feature reads a feature, and adds it if it is a wallet.
func (p *advanced) feature() error {
	kind := p.Attr("FeatureTypeID")
	f, ok := p.features[kind]
	if !ok {
		return p.Errorf(p.id, "feature of a type %.32q that is not in the document's table", kind)
	}
	if !f.isWallet {
		return p.Skip()
	}
	before := len(p.Wallets)
	err := p.Children(func(name string) error {
		if name != "FeatureVersion" {
			return p.Skip()
		}
		return p.Children(func(name string) error {
			if name != "VersionDetail" {
				return p.Skip()
			}
			text, err := p.content()
			if err != nil {
				return err
			}
			return p.addWallet(p.id, f.asset, text)
		})
	})
	if err == nil && len(p.Wallets) == before {
		err = p.Errorf(p.id, "%s without a VersionDetail", label)
	}
	return err
}

// entry reads an entry of a list: when a party was listed.
func (p *advanced) entry(string) error {
	on := consolidated
	if p.sdn != "" && p.Attr("ListID") == p.sdn {
		on = sdn
	}
	p.entries[on]++
	if on != p.kind {
		return p.Skip()
	}
	id := p.Attr("ProfileID")
	i, ok := p.profiles[id]
	if !ok && p.missing == "" {
		p.missing = id
	}
	if !ok || i < 0 {
		return p.Skip()
	}
	p.onList[i] = true
	return p.Children(func(name string) error {
		if name != "EntryEvent" {
			return p.Skip()
		}
		return p.Children(func(name string) error {
			if name != "Date" {
				return p.Skip()
			}
			t, err := p.date()
			if h := &p.Holders[i]; err == nil && (h.ListedAt.IsZero() || t.Before(h.ListedAt)) {
				h.ListedAt = t
			}
			return err
		})
	})
}
