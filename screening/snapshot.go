package screening

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A snapshot is the lists as they stood at one instant, as segments. It is made
// aside and never changed after it was stored.
type snapshot struct {
	table        *score.Table
	accountsOnly bool
	status       []SourceStatus
	digest       string
	lists        []list

	notLoaded error     // wraps ErrNotLoaded; nil if every required source is loaded
	oldest    time.Time // the oldest LastUpdated of a required source

	segments   []snapshotSegment // of the lists that are loaded, the small ones first
	shared     int               // of segments, the first, which filter stands before
	filter     *index.Filter
	exceptions *exceptionSet // nil: none
	at         time.Time     // of which a Past is; zero: of now

	clean Result // of no address and no labels, to be copied
}

// A snapshotSegment is a segment with what its labels need to know of its list.
type snapshotSegment struct {
	*index.Index // of the segment: the clean path looks no further
	segment      *segment
	source       string // the id
}

// snapshot makes a snapshot of lists that are held.
func (s *Screener) snapshot(held []list) *snapshot {
	snap := &snapshot{table: s.table, accountsOnly: s.accountsOnly, lists: held, exceptions: s.exceptions}
	var missing, lines []string
	for i, l := range held {
		id := s.infos[i].ID
		status := l.status(s.infos[i], s.required[i])
		if status.StoreErr == nil && s.recordErr != nil {
			status.StoreErr = &LoadError{Source: id, Err: s.recordErr}
		}
		snap.status = append(snap.status, status)
		if l.segment != nil {
			snap.segments = append(snap.segments, snapshotSegment{l.segment.index, l.segment, id})
			lines = append(lines, id+"\t"+l.segment.Digest+"\n")
		}
		if !s.required[i] {
			continue
		}
		if !l.isLoaded() {
			missing = append(missing, id)
		} else if snap.oldest.IsZero() || l.updated.Before(snap.oldest) {
			snap.oldest = l.updated
		}
	}
	snap.share(s.snap.Load())
	if missing != nil {
		snap.notLoaded = fmt.Errorf("%w: %s", ErrNotLoaded, strings.Join(missing, ", "))
	}
	if s.exceptions != nil {
		lines = append(lines, "exceptions\t"+s.exceptions.digest+"\n") // ids are in capitals
	}
	slices.Sort(lines)
	digest := sha256.Sum256([]byte(strings.Join(lines, "")))
	snap.digest = hex.EncodeToString(digest[:])
	snap.clean = Result{Level: s.table.Level(0), ScoringVersion: s.table.Version(), snap: snap}
	return snap
}

// maxShared is how many keys the index of a list has at most that shares a filter
// with others: so few that the filter is made in a millisecond, whichever list has
// changed.
const maxShared = 1 << 16

// share makes the filter of the small lists, if there are several, unless the
// snapshot before has it.
func (snap *snapshot) share(before *snapshot) {
	large := func(seg snapshotSegment) int {
		if seg.Len() > maxShared {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(snap.segments, func(a, b snapshotSegment) int { return large(a) - large(b) })
	var small []*index.Index
	for _, seg := range snap.segments {
		if large(seg) == 0 {
			small = append(small, seg.Index)
		}
	}
	if len(small) < 2 {
		return
	}
	snap.shared = len(small)
	if before != nil && before.shared == snap.shared && slices.Equal(before.segments[:snap.shared], snap.segments[:snap.shared]) {
		snap.filter = before.filter
	} else {
		snap.filter = index.NewFilter(small...)
	}
}

// ready returns the error with which every question to snap is to be answered.
func (snap *snapshot) ready(maxAge time.Duration) error {
	if snap.notLoaded != nil {
		return snap.notLoaded
	}
	if maxAge > 0 && time.Since(snap.oldest) > maxAge {
		return ErrStale
	}
	return nil
}

// result makes the answer about a of the labels that were found.
func (snap *snapshot) result(a address.Address, labels []Label) Result {
	r := snap.clean
	r.Address, r.Labels = a, labels
	if len(labels) > 0 && snap.exceptions != nil {
		now := snap.at
		if now.IsZero() {
			now = time.Now()
		}
		r.Labels, r.Suppressed = snap.exceptions.split(a.Account(), labels, now)
	}
	if len(r.Labels) > 0 {
		r.Score = r.Labels[0].Points
		r.Level = snap.table.Level(r.Score)
	}
	return r
}

// hit reports whether a may have labels. It is all that happens for nearly every
// address: one look-up in each long list, and one in all the others, for on most
// chains an account is filed under what controls it.
func (snap *snapshot) hit(a address.Address) bool {
	words, tag := a.Identity()
	if identity.HasMore(tag) && !snap.accountsOnly {
		return snap.hitAny(a)
	}
	key, n := identity.Key(tag), identity.Len(tag)
	if key == 0 || snap.accountsOnly {
		key = identity.Account(tag)
	}
	w0, w1, w2, w3 := identity.Load(words)
	i := 0
	if snap.shared > 0 && !snap.filter.MayHaveWords(uint16(key), w0, w1, w2, w3, n) {
		i = snap.shared
	}
	for ; i < len(snap.segments); i++ {
		if _, hit := snap.segments[i].LookupWords(uint16(key), w0, w1, w2, w3, n); hit {
			return true
		}
	}
	return false
}

// hitAny is hit for an address with several keys.
func (snap *snapshot) hitAny(a address.Address) bool {
	var buf [8]index.Key
	for _, k := range appendProbes(buf[:0], a, false) {
		i := 0
		if snap.shared > 0 && !snap.filter.MayHave(k) {
			i = snap.shared
		}
		for ; i < len(snap.segments); i++ {
			if _, hit := snap.segments[i].Lookup(k); hit {
				return true
			}
		}
	}
	return false
}

// labels returns the labels of a, sorted; nil if it is clean.
func (snap *snapshot) labels(a address.Address) ([]Label, error) {
	account := a.Account()
	var labels []Label
	var buf [8]index.Key
	for _, k := range appendProbes(buf[:0], a, snap.accountsOnly) {
		for _, seg := range snap.segments {
			set, hit := seg.Lookup(k)
			if !hit {
				continue
			}
			err := seg.segment.told(set, k, func(e sources.Entry) {
				if m := matchOf(e, a, account); m != 0 {
					labels = append(labels, snap.label(seg.source, e, m))
				}
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return sortLabels(labels), nil
}

// matchOf returns how an entry that is filed under something that is asked about
// a matches it, whose account is given; 0 if it does not.
func matchOf(e sources.Entry, a address.Address, account address.Key) score.Match {
	switch {
	case !e.Address.IsValid():
		for _, d := range readings(e, literalKey(e.Listed)) {
			if d.Account() == account {
				return score.Literal
			}
		}
		return 0
	case e.Address.Account() != account:
		return score.Key
	case e.Address.Chain() == a.Chain():
		return score.Exact
	}
	return score.Family
}

// literal returns the labels of the very string text, sorted; nil if no list
// prints it.
func (snap *snapshot) literal(text string) ([]Label, error) {
	k := textKey(literalKey(text))
	var labels []Label
	for _, seg := range snap.segments {
		set, hit := seg.Lookup(k)
		if !hit {
			continue
		}
		err := seg.segment.told(set, k, func(e sources.Entry) {
			labels = append(labels, snap.label(seg.source, e, score.Literal))
		})
		if err != nil {
			return nil, err
		}
	}
	return sortLabels(labels), nil
}

// isSpelledAs reports whether an address is spelled as in its normal form, or differs
// from that in the case of hex digits only. A listed string that is no address is
// filed under each address of which it is such a spelling.
func isSpelledAs(text, normal string) bool {
	return text == normal || strings.HasPrefix(text, "0x") && strings.EqualFold(text, normal)
}

// alsoLiteral returns r, the answer about an address, with what lists say of the very
// string that was asked for.
func (snap *snapshot) alsoLiteral(r Result, text string) (Result, error) {
	literal, err := snap.literal(text)
	if err != nil {
		return Result{}, err
	}
	if literal == nil {
		return r, nil
	}
	labels, err := snap.labels(r.Address)
	if err != nil {
		return Result{}, err
	}
	return snap.result(r.Address, sortLabels(append(labels, literal...))), nil
}

// label returns the label of an entry that matches by m.
func (snap *snapshot) label(source string, e sources.Entry, m score.Match) Label {
	at := e.ListedAt
	if at.IsZero() {
		at = e.FirstSeen
	}
	points, _ := snap.table.Points(e.Kind, m) // known: refresh has checked
	return Label{
		Kind: e.Kind, Match: m, Points: points,
		Source: source, Ref: e.Ref, Name: e.Name, Listed: e.Text(), AddedAt: at.UTC(),
	}
}

// sortLabels sorts labels as a Result has them, and keeps of those that say the
// same of the same entity the one that says it most directly.
func sortLabels(labels []Label) []Label {
	if len(labels) < 2 {
		return labels
	}
	slices.SortFunc(labels, func(a, b Label) int {
		return cmp.Or(
			cmp.Compare(b.Points, a.Points),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ref, b.Ref),
			cmp.Compare(a.Match, b.Match), cmp.Compare(a.Listed, b.Listed),
			a.AddedAt.Compare(b.AddedAt), cmp.Compare(a.Name, b.Name),
		)
	})
	type said struct {
		source, ref string
		kind        score.Kind
	}
	seen := make(map[said]bool, len(labels))
	return slices.DeleteFunc(labels, func(l Label) bool {
		s := said{l.Source, l.Ref, l.Kind}
		dup := seen[s]
		seen[s] = true
		return dup
	})
}
