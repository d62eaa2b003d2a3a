package ofac

import (
	"cmp"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
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
	features map[string]string // the kinds of facts about a party, by id
	sdn      string            // id of the SDN List
	profiles map[string]*freetext.Holder
	onList   map[string]bool // the holders with an entry on the list that is read
	entries  [2]int          // of either list, by kind
	missing  string          // the first party that an entry of the list names and that is not there
}

// advanced returns what reads the records of sdn_advanced.xml, and what checks it at its end.
func (d *document) advanced() (records map[string]func(*xmlscan.Node) error, check func() error) {
	p := &advanced{document: d, features: make(map[string]string), profiles: make(map[string]*freetext.Holder), onList: make(map[string]bool)}
	return map[string]func(*xmlscan.Node) error{
		"DateOfIssue": func(n *xmlscan.Node) (err error) {
			p.Revision.Published, err = p.date(n)
			return err
		},
		"ReferenceValueSets": p.values, "DistinctParties/": p.party, "SanctionsEntries/": p.entry,
	}, p.check
}

func (p *advanced) check() error {
	switch here, elsewhere := p.entries[p.kind], p.entries[1-p.kind]; {
	case here == 0:
		return p.Errorf("", "no entry is on %v", p.kind)
	case here < elsewhere:
		return p.Errorf("", "%d entries are on %v, and %d on others: it is not the list of this file", here, p.kind, elsewhere)
	}
	if p.missing != "" && p.Revision.Records > 0 {
		return p.Errorf(p.missing, "an entry of %v without its party: parts of the file are missing", p.kind)
	}
	for _, h := range p.Holders {
		if !p.onList[h.Ref] {
			return p.Errorf(h.Ref, "a holder of wallets is not on %v", p.kind)
		}
	}
	return nil
}

// date reads a date of the elements Year, Month and Day; see [freetext.Date].
func (p *advanced) date(n *xmlscan.Node) (time.Time, error) {
	f, err := p.Fields(n, "Year", "Month", "Day")
	return freetext.Date(strings.Join(f, "-"), "2006-1-2"), err
}

// values reads the tables.
func (p *advanced) values(n *xmlscan.Node) error {
	for _, f := range n.All("FeatureTypeValues", "") {
		p.features[f.Attr("ID")] = f.Text
	}
	delete(p.features, "") // a feature must name its type
	for _, l := range n.All("ListValues", "") {
		if strings.EqualFold(strings.TrimSpace(l.Text), "SDN List") {
			p.sdn = l.Attr("ID")
		}
	}
	return nil
}

// party reads a party, and keeps it if it has wallets.
func (p *advanced) party(n *xmlscan.Node) error {
	p.Revision.Records++
	profiles := n.All("Profile")
	for _, profile := range profiles {
		id := profile.Attr("ID")
		if id == "" {
			return p.Errorf("", "<Profile> without ID")
		}
		h := &freetext.Holder{Ref: id, Name: freetext.Name(nameOf(profile))}
		for _, f := range profile.All("Feature") {
			if err := p.feature(h, f); err != nil {
				return err
			}
		}
		others := profile
		if len(profiles) == 1 {
			others = n
		}
		h.Find(time.Time{}, strings.Join(others.Texts(), "\n\n"))
		switch before := p.profiles[id]; {
		case before == nil || len(before.Wallets) == 0:
			p.profiles[id] = h
		case len(h.Wallets) > 0:
			return p.Errorf(id, "profile that was there before")
		}
		if err := p.Add(h); err != nil {
			return p.Errorf(id, "%w", err)
		}
	}
	return nil
}

// nameOf returns the first name of the primary alias of the primary identity of a profile.
func nameOf(profile *xmlscan.Node) string {
	for _, identity := range profile.All("Identity") {
		for _, alias := range identity.All("Alias") {
			if identity.Attr("Primary") != "true" || alias.Attr("Primary") != "true" {
				continue
			}
			for _, name := range alias.All("DocumentedName") {
				var parts []string
				for _, part := range name.All("DocumentedNamePart", "NamePartValue") {
					parts = append(parts, part.Text)
				}
				return strings.Join(parts, " ")
			}
		}
	}
	return ""
}

// feature reads a feature, and adds it if it is a wallet.
func (p *advanced) feature(h *freetext.Holder, n *xmlscan.Node) error {
	id := n.Attr("FeatureTypeID")
	kind, ok := p.features[id]
	if !ok {
		return p.Errorf(h.Ref, "feature of a type %.32q that is not in the document's table", id)
	}
	asset, isWallet := tickerOfType(kind)
	details := n.All("FeatureVersion", "VersionDetail")
	for _, detail := range details {
		if !isWallet {
			if err := freetext.Stray(detail.Text); err != nil {
				return p.Errorf(h.Ref, "feature of the type %.64q: %w", kind, err)
			}
			continue
		}
		text, err := p.Content(detail)
		if err == nil && text == "" {
			err = errNoText
		}
		if err != nil {
			return p.Errorf(h.Ref, "%w", err)
		}
		addWallet(h, asset, text)
	}
	if details == nil && isWallet {
		return p.Errorf(h.Ref, "%s without a VersionDetail", label)
	}
	return nil
}

// entry reads an entry of a list: when a party was listed.
func (p *advanced) entry(n *xmlscan.Node) error {
	on := consolidated
	if p.sdn != "" && n.Attr("ListID") == p.sdn {
		on = sdn
	}
	p.entries[on]++
	if on != p.kind {
		return nil
	}
	id := n.Attr("ProfileID")
	h := p.profiles[id]
	if h == nil {
		p.missing = cmp.Or(p.missing, id)
		return nil
	}
	p.onList[id] = true
	for _, date := range n.All("EntryEvent", "Date") {
		t, err := p.date(date)
		if err != nil {
			return err
		}
		h.ListedAt = freetext.First(h.ListedAt, t)
	}
	return nil
}
