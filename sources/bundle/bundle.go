// Package bundle holds lists that are linked into the program, so that it answers
// without a network. Begin with [All] and [Optional], or with one list, such as [OFAC],
// as the seed of its live source:
//
//	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
//	src := sources.Seeded(ofac.New(nil), bundle.OFAC())
package bundle

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"

	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/info"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// The files are made by a program. By default it fetches the lists from their
// publishers; see its package comment.
//
//go:generate go run ./internal/rebuild

//go:embed ofac.stays.gz
var ofacFile []byte

//go:embed ofac_history.stays.gz
var ofacHistory []byte

//go:embed eu.stays
var euFile []byte

//go:embed uk.stays
var ukFile []byte

//go:embed badlist.stays.gz
var badlistFile []byte

// The documents, which testdata has as CSV.

//go:embed fbi.stays
var fbiFile []byte

//go:embed doj.stays
var dojFile []byte

//go:embed graphsense.stays.gz
var graphSenseFile []byte

// All returns all bundled lists, the official ones first. The caller owns the slice. Each is
// its own seed, so the Open of a Screener loads it.
//
// The Revision of a bundled list has the age of its data: Published and Checked are the
// day of the list, however often it is loaded. Its Completeness says how much of the
// list it holds.
func All() []sources.Source {
	return []sources.Source{OFAC(), EU(), UK(), FBI(), DOJ(), GraphSense(), Badlist()}
}

// Optional returns the ids of the bundled lists that a program should not require if it
// loads nothing else: UK_CONSOLIDATED, which is a part of the list and so never counts
// as loaded; FBI_IC3, DOJ_FORFEITURE and GRAPHSENSE, which are documents and not sanctions
// lists; and COMMUNITY_BADLIST, which nobody has maintained since 2018.
func Optional() []string {
	return []string{"UK_CONSOLIDATED", "FBI_IC3", "DOJ_FORFEITURE", "GRAPHSENSE", "COMMUNITY_BADLIST"}
}

// OFAC returns the SDN List of the US Treasury's Office of Foreign Assets Control, the
// seed of the source in package ofac. It has a history: see [sources.History].
func OFAC() sources.Source { return &source{info: info.OFAC, file: ofacFile, history: ofacHistory} }

// EU returns the EU's consolidated list, the seed of the source in package eu.
func EU() sources.Source { return &source{info: info.EU, file: euFile} }

// UK returns the UK Sanctions List, the seed of the source in package uk.
func UK() sources.Source { return &source{info: info.UK, file: ukFile} }

// Badlist returns the darklist of MyEtherWallet, the seed of the source in package
// badlist. Its newest entry is of November 2018.
func Badlist() sources.Source { return &source{info: info.Badlist, file: badlistFile} }

// FBI returns the announcements in which the FBI names wallet addresses of stolen
// cryptocurrency:
//
//   - 23 January 2023, theft from Harmony's Horizon bridge: 11 addresses
//   - 22 August 2023, funds stolen by TraderTraitor (Lazarus Group): 6
//   - 6 September 2023, theft from Stake.com: 33
//   - 26 February 2025, I-022625-PSA, theft from Bybit: 51
//
// They are final, and no sanctions list: the kind of the entries is StolenFunds of package score.
// The Ref of an entry is the number of its announcement, or its address; Info.URL makes an address
// of both. ListedAt is the day of the announcement.
func FBI() sources.Source { return &source{info: info.FBI, file: fbiFile} }

// DOJ returns the 155 addresses that the US Department of Justice named for seizure in its
// forfeiture complaint of 13 August 2020 against the campaigns of al-Qaeda. It is final, and
// no sanctions list: the kind of its entries is Seized of package score.
func DOJ() sources.Source { return &source{info: info.DOJ, file: dojFile} }

// GraphSense returns addresses that received ransoms, by two studies that end in 2017 and
// 2022, and addresses of thieves of hacked services until 2018: the tags with an abuse in
// three TagPacks of GraphSense. The Ref of an entry is its source, its Name the family or the
// hack. It is final: Ransomwhere of package badlist goes on.
func GraphSense() sources.Source { return &source{info: info.GraphSense, file: graphSenseFile} }

// A source is a list in a file of stays.
type source struct {
	info    sources.Info
	file    []byte
	history []byte // another such file, of all stays of the past; nil: none
}

func (s *source) Info() sources.Info { return s.info }

// Seed returns s, which needs no network; see [sources.Seed].
func (s *source) Seed() sources.Source { return s }

// History returns when addresses came on the list and left it, as [sources.History]
// describes. Nil for a list without a history.
func (s *source) History() (all []sources.Entry, err error) {
	if s.history == nil {
		return nil, nil
	}
	f, err := s.open(s.history)
	if err == nil {
		err = each(f, func(e sources.Entry) error { all = append(all, e); return nil })
	}
	return all, err
}

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	f, err := s.open(s.file)
	if err == nil && prev.Digest == f.Revision.Digest && ctx.Err() == nil {
		return f.Revision, sources.ErrUnchanged
	}
	if err == nil {
		err = each(f, func(e sources.Entry) error {
			if e.FirstSeen.IsZero() {
				e.FirstSeen = f.Revision.Checked
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return add(e)
		})
	}
	if err != nil {
		return sources.Revision{}, fmt.Errorf("bundled %s: %w", s.info.ID, err)
	}
	return f.Revision, nil
}

// open opens a file of s, which may be compressed.
func (s *source) open(file []byte) (*stays.File, error) {
	data, err := io.ReadAll(unpack.Gunzip(bytes.NewReader(file), false))
	if err != nil {
		return nil, err
	}
	f, err := stays.Parse("", data)
	if err == nil && f.Source != s.info.ID {
		err = fmt.Errorf("the file holds %s", f.Source)
	}
	return f, err
}

// each calls do for each entry of a file.
func each(f *stays.File, do func(sources.Entry) error) error {
	for s, err := range f.All() {
		if err != nil {
			return err
		}
		e := s.Entry
		if !e.Address.IsValid() {
			// The module may have learned to decode it since the file was written.
			e.Address, _ = sources.Decode(e.Asset, e.Listed)
		}
		e.Listed = e.Text() // a file omits the normal form
		if err := do(e); err != nil {
			return err
		}
	}
	return nil
}
