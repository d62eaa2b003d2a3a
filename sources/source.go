// Package sources describes sanctions and risk lists. Begin with [Source], [File] for a
// list in a file, [Static] for entries that the caller has, and [Seeded] for a live list
// with a copy to start from.
//
// The packages below this one read real lists (ofac, eu, uk, nbctf, mof, badlist,
// opensanctions, stablecoin, own); bundle holds copies of some. Package store keeps lists over a
// restart, and sourcetest tests implementations of Source.
//
// # Lists that are published
//
// The Parse function of such a package reads a list and calls add for each wallet, in the
// order of the list. Nothing is added unless the whole list was read (badlist adds at once).
// Errors are a *RecordError, or come from the reader, or wrap an error of add. The Digest of
// the Revision covers all bytes, unless Parse says otherwise. Parse holds in memory the
// wallets and a buffer.
//
// New returns the list as its publisher has it. Load fetches the list, with a conditional
// request if it holds validators, and reads it as Parse does. A list that the server
// confirms, or that has the digest of the revision held, is ErrUnchanged. A server may confirm a
// list that has changed, so call Load now and then with a zero revision, as package screening does
// once a day. Load repeats requests that fail in a way that may pass, and downloads that break off.
//
// The options of New may be nil. URL is the address of the list in a format that Parse reads,
// such as the address of a mirror; "" means the publisher's. It must be https unless AllowHTTP
// is set. Client makes the requests; nil means http.DefaultClient. Its Timeout should be zero,
// or allow for the whole download: Load limits the time without progress, and its context the
// rest. An error in the options is an error of Load.
package sources

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
)

// A Source is one sanctions or risk list. Package sourcetest tests an implementation. The
// methods may be called concurrently.
type Source interface {
	// Info describes the list. It always returns the same, and does no I/O.
	Info() Info

	// Load reads the whole list, calls add for each entry in the order of the list,
	// and returns the revision that it read. The caller owns the entries; they need
	// not be distinct.
	//
	// A truncated or empty list, or something else than the list, is an error, even if
	// entries were added before. If add returns an error, Load returns an error that
	// wraps it, at once. If ctx ends, Load soon returns an error that wraps ctx.Err().
	//
	// prev is the revision that the caller holds, or zero. If the list is known to be
	// unchanged since, Load adds nothing and returns [ErrUnchanged] (or an error that
	// wraps it) with the revision, whose validators may be new. It never does so if
	// prev is zero.
	Load(ctx context.Context, prev Revision, add func(Entry) error) (Revision, error)
}

// ErrUnchanged is the error of [Source.Load] if the caller holds the current list.
var ErrUnchanged = errors.New("list is unchanged")

// A Jurisdiction is where a list is issued: one of the constants below, or an
// ISO 3166-1 alpha-2 code in capital letters, such as "IL" or "JP".
type Jurisdiction string

// The jurisdictions that are not ISO 3166 codes, and US. [Info.MayEmit] says which
// kinds of signal the lists of each may emit.
const (
	US        Jurisdiction = "US"
	EU        Jurisdiction = "EU"
	UK        Jurisdiction = "UK"
	UN        Jurisdiction = "UN"
	Community Jurisdiction = "Community" // not issued by an authority
	Operator  Jurisdiction = "Operator"  // the operator's own list
)

// Info describes a list.
type Info struct {
	// ID names the source in labels and settings, such as "OFAC_SDN". It has 1 to 64
	// capital letters, digits and underscores.
	ID string
	// Name is the name for people. It must not be "".
	Name string
	// Jurisdiction is where the list is issued.
	Jurisdiction Jurisdiction
	// Licence states the terms of use of the data in one line.
	Licence string
	// Attribution is the sentence that the license requires you to show, or "".
	Attribution string
	// RefURL is the address of the publisher's page about a record, or "". The text
	// {ref} in it stands for the Ref of an entry; see [Info.URL].
	RefURL string
	// Rhythm is the longest usual time between two publications, with a margin: a list
	// whose date is longer ago is old. Zero means that no rhythm is known.
	Rhythm time.Duration
	// Final reports whether the list is a published document that cannot change: it has a date
	// and no age, so it is never late.
	Final bool
}

// URL returns the address of the publisher's page about the record ref, or "" if the
// publisher has none. A ref that begins with https:// is that address.
func (i Info) URL(ref string) string {
	if strings.HasPrefix(ref, "https://") {
		return ref
	}
	if ref == "" && strings.Contains(i.RefURL, "{ref}") {
		return ""
	}
	return strings.ReplaceAll(i.RefURL, "{ref}", url.QueryEscape(ref))
}

// Validate returns an error if the description is incomplete or malformed.
func (i Info) Validate() error {
	switch {
	case !ids.MatchString(i.ID):
		return fmt.Errorf("source id %.80q: want 1 to 64 capital letters, digits and underscores", i.ID)
	case !jurisdictions.MatchString(string(i.Jurisdiction)):
		return fmt.Errorf("source %s: jurisdiction %.80q: want EU, UK, UN, Community, Operator or an ISO 3166 code such as US", i.ID, i.Jurisdiction)
	case i.Rhythm < 0:
		return fmt.Errorf("source %s: the rhythm is %v: want a positive duration, or 0 for none", i.ID, i.Rhythm)
	case i.Final && i.Rhythm > 0:
		return fmt.Errorf("source %s: a final list has a rhythm: want one or the other", i.ID)
	case i.Name == "":
		return fmt.Errorf("source %s: no name", i.ID)
	}
	return nil
}

var (
	ids           = regexp.MustCompile(`^[A-Z0-9_]{1,64}$`)
	jurisdictions = regexp.MustCompile(`^([A-Z]{2}|Community|Operator)$`)
)

// MayEmit reports whether entries of the list may be of the kind k: official kinds
// need an authority, and [score.Blocked] needs Operator.
func (i Info) MayEmit(k score.Kind) bool {
	switch i.Jurisdiction {
	case Community:
		return !k.Official() && k != score.Blocked
	case Operator:
		return !k.Official()
	}
	return k != score.Blocked
}

// A Revision identifies one state of a list: what a source needs to tell whether the list
// has changed, and what people want to know about it.
type Revision struct {
	// Digest names the revision: the SHA-256 of the list as it was read, in lower-case
	// hex. Only the zero Revision has none.
	Digest string `json:"digest,omitempty"`
	// Published is the publisher's date of the list; zero if it gives none.
	Published time.Time `json:"published,omitzero"`
	// Checked is when the list was last known to be current; zero means at the time
	// of Load. Only sources of data that were read earlier, such as bundled data, set
	// it.
	Checked time.Time `json:"checked,omitzero"`
	// Records is the number of records of the list, with or without an address.
	Records int `json:"records,omitempty"`
	// Completeness says how much of the list was read.
	Completeness Completeness `json:"completeness,omitzero"`
	// Provenance says in one line where the data come from, if Load did not fetch them
	// from the publisher, as with bundled data; otherwise it is "".
	Provenance string `json:"provenance,omitempty"`
	// OpenEnded says that nothing in the document marks its end, as in CSV: if it was
	// cut between two records, the rest looks whole.
	OpenEnded bool `json:"open_ended,omitempty"`
	// ETag and LastModified are the validators of the HTTP answer with the list, or "". A source
	// may keep in the ETag what else it needs to compare.
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// Completeness says how much of a list a revision holds.
type Completeness string

const (
	// Whole: the publisher's document. It is the zero value, and its text is "whole".
	Whole Completeness = ""
	// Assembled: all wallet addresses of the list, taken from public extractions.
	// The list counts as loaded, and says that it is assembled.
	Assembled Completeness = "assembled"
	// Partial: a known part of the list, such as an excerpt. Its entries match, but the
	// list does not count as loaded.
	Partial Completeness = "partial"
	// Reconstructed: the list of a day of the past, as far as its history tells; see [AsOf].
	Reconstructed Completeness = "reconstructed"
)

// String returns "whole", "assembled", "partial" or "reconstructed".
func (c Completeness) String() string {
	if c == Whole {
		return "whole"
	}
	return string(c)
}

// MarshalText returns the bytes of String.
func (c Completeness) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets c to the completeness that String writes as text. An empty text
// is Whole.
func (c *Completeness) UnmarshalText(text []byte) error {
	switch v := Completeness(text); v {
	case "whole":
		*c = Whole
	case Whole, Assembled, Partial, Reconstructed:
		*c = v
	default:
		return fmt.Errorf("completeness %.32q: want whole, assembled, partial or reconstructed", text)
	}
	return nil
}

// IsZero reports whether r is the zero Revision.
func (r Revision) IsZero() bool { return r == Revision{} }

// An Entry is one listed fact: this string, of this asset, belongs to that entity. One
// address may have many entries.
type Entry struct {
	// Address is the listed account, or zero if Listed decodes to no address. Its chain is the
	// chain for which it was listed, as far as the list says.
	Address address.Address
	// Listed is the string as the list prints it. Empty means Address.Normalized().
	Listed string
	// Asset is the ticker as printed, such as "XBT", or "".
	Asset string
	// Kind is the kind of the signal. The scoring must have points for it, and
	// [Info.MayEmit] must allow it.
	Kind score.Kind
	// Ref is the stable reference of the entity or item within the list, such as the
	// OFAC entity id. It may be "".
	Ref string
	// Name is the name of the entity, or a comment on the item. It may be "".
	Name string
	// ListedAt is the publisher's date of the listing of this address, in UTC; zero if the
	// list gives none.
	ListedAt time.Time
	// EntityListedAt is the publisher's date of the listing of the party that holds the
	// address, in UTC; zero if the list gives none. The address may have been added later.
	EntityListedAt time.Time
	// FirstSeen is when the entry was first loaded, or the date of the first copy of the list
	// known to have it, in UTC; zero means now.
	FirstSeen time.Time
	// NotListedOn is the date of the last copy of the list that is known not to have the
	// entry, before FirstSeen; zero: none is known.
	NotListedOn time.Time
	// Until is when the listing ended; zero while it lasts. An entry with an Until is
	// history: package screening never matches it, and mentions it as Result.Formerly.
	Until time.Time
}

// Text returns the listed string: Listed, or the normal form of Address.
func (e Entry) Text() string {
	if e.Listed == "" {
		return e.Address.Normalized()
	}
	return e.Listed
}

// Canonical returns what makes e the same entry in two revisions of a list, and a
// duplicate within one: all but its name and its dates, with Listed set. It is for
// comparing, and can be the key of a map.
func (e Entry) Canonical() Entry {
	return Entry{Address: e.Address, Listed: e.Text(), Asset: e.Asset, Kind: e.Kind, Ref: e.Ref}
}

// A RecordError says where in a list an error is. The errors of the parsers below this
// package wrap it where a place can be named.
type RecordError struct {
	Line int64  // the line, counted from 1, or 0
	Byte int64  // the byte offset in the list, or -1
	Ref  string // the reference of the record, if it is known
	Err  error  // the reason
}

// Error returns the place, by line if that is known, and the message of Err.
func (e *RecordError) Error() string {
	var at string
	if e.Line > 0 {
		at = fmt.Sprintf("line %d", e.Line)
	} else {
		at = fmt.Sprintf("byte %d", e.Byte)
	}
	if e.Ref != "" {
		at += fmt.Sprintf(", record %.64q", e.Ref)
	}
	return at + ": " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *RecordError) Unwrap() error { return e.Err }
