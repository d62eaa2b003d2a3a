// Package bundle holds lists that are linked into the program, so that it answers
// without a network. Begin with [All] and [Optional], or with one list, such as [OFAC],
// as the seed of its live source:
//
//	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
//	src := sources.Seeded(ofac.New(nil), bundle.OFAC())
package bundle

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// The files are made by a program. By default it fetches the lists from their
// publishers; see its package comment.
//
//go:generate go run ./internal/rebuild

//go:embed ofac.rev
var ofacFile []byte

//go:embed eu.rev
var euFile []byte

//go:embed uk.rev
var ukFile []byte

//go:embed fbi.rev
var fbiFile []byte

//go:embed badlist.rev
var badlistFile []byte

// All returns all bundled lists, the official ones first. The caller owns the slice. Each is
// its own seed, so the Open of a Screener loads it.
//
// The Revision of a bundled list has the age of its data: Published and Checked are the
// day of the list, however often it is loaded. Its Completeness says how much of the
// list it holds.
func All() []sources.Source {
	return []sources.Source{OFAC(), EU(), UK(), FBI(), Badlist()}
}

// Optional returns the ids of the bundled lists that a program should not require if it
// loads nothing else: UK_CONSOLIDATED, which is a part of the list and so never counts
// as loaded; FBI_IC3, a single announcement; and COMMUNITY_BADLIST, which nobody has
// maintained since 2018.
func Optional() []string { return []string{"UK_CONSOLIDATED", "FBI_IC3", "COMMUNITY_BADLIST"} }

// OFAC returns the SDN List of the US Treasury's Office of Foreign Assets Control, the
// seed of the source in package ofac. It has a history: see [sources.History].
func OFAC() sources.Source { return &source{info.OFAC, ofacFile, ofacHistory} }

// EU returns the EU's consolidated list, the seed of the source in package eu.
func EU() sources.Source { return &source{info.EU, euFile, nil} }

// UK returns the UK Sanctions List, the seed of the source in package uk.
func UK() sources.Source { return &source{info.UK, ukFile, nil} }

// FBI returns the FBI's announcement of 26 February 2025 about the theft from Bybit,
// the seed of the source in package fbi. It is not a sanctions list.
func FBI() sources.Source { return &source{info.FBI, fbiFile, nil} }

// Badlist returns the darklist of MyEtherWallet, the seed of the source in package
// badlist. Its newest entry is of November 2018.
func Badlist() sources.Source { return &source{info.Badlist, badlistFile, nil} }

// A source is a list in a revision file.
type source struct {
	info    sources.Info
	file    []byte
	history []byte // compressed CSV; nil: none
}

func (s *source) Info() sources.Info { return s.info }

// Seed returns s, which needs no network; see [sources.Seed].
func (s *source) Seed() sources.Source { return s }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := s.load(ctx, prev, add)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("bundled %s: %w", s.info.ID, err)
	}
	return rev, err
}

func (s *source) load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if err := ctx.Err(); err != nil {
		return sources.Revision{}, err
	}
	h, err := revision.ReadHeader(s.file)
	if err != nil {
		return sources.Revision{}, err
	}
	if h.Source != s.info.ID {
		return sources.Revision{}, fmt.Errorf("the file holds %s", h.Source)
	}
	if prev.Digest == h.Revision.Digest {
		return h.Revision, sources.ErrUnchanged
	}
	f, err := revision.Parse(s.file, nil)
	if err != nil {
		return sources.Revision{}, err
	}
	defer f.Close()
	for e, err := range f.Entries() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return sources.Revision{}, err
		}
		if !e.Address.IsValid() {
			// The module may have learned to decode it since the file was written.
			e.Address, _ = sources.Decode(e.Asset, e.Listed)
		}
		if e.FirstSeen.IsZero() {
			e.FirstSeen = h.Revision.Checked
		}
		if err := add(e); err != nil {
			return sources.Revision{}, err
		}
	}
	return h.Revision, nil
}
