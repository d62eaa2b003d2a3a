// Package bundle has lists that are linked into the program: for a program that
// must be able to answer before it has reached a network, or never reaches one.
//
//	live := ofac.New(nil)
//	s, err := screening.New([]sources.Source{sources.Seeded(live, bundle.OFAC())}, nil)
//
// A bundled list is as old as it is. Its Revision says so: Published and Checked
// are when the list was published, however often it is loaded, so
// the freshness that people are shown, and Options.MaxAge of package screening,
// are about the data and not about the program. Its Digest is that of the file
// as it was published, so a live source whose list is still the bundled one can
// tell that it is.
//
// [OFAC] and [Badlist] are whole. Of the lists of the EU and the UK no whole copy
// was to be had; [EU] and [UK] are excerpts, and their Revision is Partial: a
// listed address in them is found, but a source of which no more was loaded counts
// as one that never was, so without the live one nothing comes out as clean.
//
// The package links no HTTP and no XML. Together the lists have some 65 kB.
//
// The files are made by the program in internal/mkbundle of this module, from
// the lists as they were published and with the parsers of this module:
//
//	go run ./internal/mkbundle -ofac SDN_ADVANCED.XML -badlist addresses-darklist.json
//	go run ./internal/mkbundle -partial -eu eu_excerpt.xml -uk uk_excerpt.xml
//
// It must be run again when package address comes to read a listed string
// otherwise, and a test says when that is: what could not be read when a file
// was made is tried again at each Load, but what was read is not. NOTICE, at the root
// of the module, says where the lists come from.
package bundle

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

//go:embed ofac.rev
var ofacFile []byte

//go:embed eu.rev
var euFile []byte

//go:embed uk.rev
var ukFile []byte

//go:embed badlist.rev
var badlistFile []byte

// OFAC returns the SDN List of the US Treasury's Office of Foreign Assets
// Control as published on 19 November 2025, its second publication of that day:
// 761 listings of 745 addresses of 79 persons and organisations. Info is that of
// the source in package ofac.
func OFAC() sources.Source {
	return &source{
		info: sources.Info{
			ID:           "OFAC_SDN",
			Name:         "OFAC Specially Designated Nationals and Blocked Persons List",
			Jurisdiction: sources.US,
			Licence:      "US government work, public domain (17 U.S.C. 105)",
			RefURL:       "https://sanctionssearch.ofac.treas.gov/Details.aspx?id={ref}",
		},
		file: ofacFile,
	}
}

// EU returns an excerpt of the EU's consolidated list as published on 22 September
// 2026: two of its entities, one of which has 6 of the 9 addresses that the list had
// then. It is a part, to be the seed of the source in package eu, whose Info it has.
func EU() sources.Source {
	return &source{
		info: sources.Info{
			ID:           "EU_CONSOLIDATED",
			Name:         "EU consolidated list of persons, groups and entities subject to financial sanctions",
			Jurisdiction: sources.EU,
			Licence:      "Commission Decision 2011/833/EU (reuse with acknowledgement of the source)",
			Attribution:  "© European Union. Only the legal acts printed in the Official Journal of the European Union are authentic.",
		},
		file: euFile,
	}
}

// UK returns an excerpt of the UK Sanctions List as generated on 21 September 2026:
// four of its designations, three of which have 14 of the some 58 addresses that the
// list had then. It is a part, to be the seed of the source in package uk, whose Info
// it has.
func UK() sources.Source {
	return &source{
		info: sources.Info{
			ID:           "UK_CONSOLIDATED",
			Name:         "UK Sanctions List",
			Jurisdiction: sources.UK,
			Licence:      "Open Government Licence v3.0",
			Attribution:  "Contains public sector information licensed under the Open Government Licence v3.0.",
		},
		file: ukFile,
	}
}

// Badlist returns the darklist of MyEtherWallet as it stands since 6 November
// 2018: 693 entries of 630 addresses. The list has no date, so that is the date
// of its newest entry; it is also when the few entries without a date count as
// first seen. Info is that of the source in package badlist.
func Badlist() sources.Source {
	return &source{
		info: sources.Info{
			ID:           "COMMUNITY_BADLIST",
			Name:         "MyEtherWallet darklist",
			Jurisdiction: sources.Community,
			Licence:      "MIT",
			Attribution:  "Copyright (c) 2017 MyEtherWallet",
		},
		file: badlistFile,
	}
}

// All returns the bundled lists that are whole, the official one first. The slice
// is the caller's own.
func All() []sources.Source {
	return []sources.Source{OFAC(), Badlist()}
}

// A source is a list in a revision file.
type source struct {
	info sources.Info
	file []byte
}

func (s *source) Info() sources.Info { return s.info }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if err := ctx.Err(); err != nil {
		return sources.Revision{}, s.wrap(err)
	}
	f, err := revision.Parse(s.file, nil)
	if err != nil {
		return sources.Revision{}, s.wrap(err)
	}
	if f.Source != s.info.ID {
		return sources.Revision{}, s.wrap(fmt.Errorf("the file is of %s", f.Source))
	}
	if prev.Digest == f.Revision.Digest {
		return f.Revision, sources.ErrUnchanged
	}
	for e, err := range f.Entries() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = add(e)
		}
		if err != nil {
			return sources.Revision{}, s.wrap(err)
		}
	}
	return f.Revision, nil
}

func (s *source) wrap(err error) error {
	return fmt.Errorf("bundled %s: %w", s.info.ID, err)
}
