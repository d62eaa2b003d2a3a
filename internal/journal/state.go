package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A State is what holds after a line of the journal.
type State struct {
	Number     uint64          // of the line; 0: there is none
	At         time.Time       // of the line
	Held       map[string]Held // by source
	Exceptions Excepted
	Answered   map[string]Held // Held after the last line of a program that answers; it is not changed

	// Of a Log: whether the journal was ever read, which is true without a Store; the number and the time of its last line then,
	// since lines of this program do not hide which files are ahead of the journal, nor since when; and how often the Store went back.
	Known bool
	Begun uint64
	Began time.Time
	Back  int

	sum     string
	lost    bool          // lines are lost, and what holds may be another thing
	gap     uint64        // the number of the last line that others are lost after, plus one; 0: none is lost
	elapsed time.Duration // without steps of more than maxStep
	pasts   map[string]past
	writers map[string]writer
	unsure  string // the source of the last line if a program that answers has accepted a list, and may not have lived to answer from it
}

// A past is what the journal says of the lists that a source had.
type past struct {
	said  uint64          // the number of the last line about the list held
	ended []end           // when acceptances ended, in their order
	seen  map[string]bool // the digests of the lists that were accepted
}

// An end is when an acceptance ended, and those before it whose end is not known, in State.elapsed.
type end struct {
	n  uint32
	at time.Duration
}

// A writer is a program that has written to the journal.
type writer struct {
	Program
	last time.Time // of its last line
}

// sinceEnd returns for how long an acceptance of a source has not been in use; 0 if it may be.
func (s *State) sinceEnd(source string, n uint32) time.Duration {
	for _, e := range s.pasts[source].ended {
		if n <= e.n {
			return s.elapsed - e.at
		}
	}
	return 0
}

// maxStep is the longest time between two lines that counts as elapsed. A longer one means
// that no program ran, or that a clock jumped.
const maxStep = 48 * time.Hour

func newState() State {
	return State{Held: make(map[string]Held), pasts: make(map[string]past), writers: make(map[string]writer)}
}

// Clone returns s, which does not change with later lines.
func (s *State) Clone() State {
	c := *s
	c.Held, c.pasts, c.writers = maps.Clone(s.Held), maps.Clone(s.pasts), maps.Clone(s.writers)
	return c
}

// add makes the state after l.
func (s *State) add(l *Line) {
	if step := l.At.Sub(s.At); s.Number > 0 && step.Abs() <= maxStep {
		s.elapsed += step // back, too: the clocks of two programs may differ
	}
	s.lost = s.lost || l.Number != s.Number+1
	if l.Number > s.Number+1 {
		s.gap = s.Number + 1
	}
	s.Number, s.At, s.sum = l.Number, l.At, l.sum
	p := s.writers[l.Program]
	if p.last = l.At; l.Opened != nil {
		p.Program = *l.Opened
	}
	s.writers[l.Program] = p
	if l.Exceptions != nil {
		s.Exceptions = *l.Exceptions
	}
	if l.Held != nil {
		s.hold(l)
	}
	if p.Answers {
		if s.unsure = ""; l.Type == Accepted { // it has read the lines before
			s.unsure = l.Source
		}
		if l.Held != nil || l.Opened != nil {
			s.Answered = maps.Clone(s.Held)
		}
	}
	if s.gap > 0 && l.After != "" { // the program may know another thing
		s.lost = s.after(l) != l.After
	}
}

// hold adds the list that is held after l.
func (s *State) hold(l *Line) {
	p := s.pasts[l.Source]
	if l.Type == Accepted {
		if p.seen == nil {
			p.seen = make(map[string]bool)
		}
		p.seen[l.Held.Revision.Digest] = true
		if l.Held.N > 1 && (len(p.ended) == 0 || p.ended[len(p.ended)-1].n < l.Held.N-1) {
			p.ended = append(p.ended, end{l.Held.N - 1, s.elapsed})
		}
	}
	p.said = l.Number
	s.Held[l.Source], s.pasts[l.Source] = *l.Held, p
}

// after returns a digest of the lists and exceptions that hold after l, by which a reader knows whether
// lines that are lost matter.
func (s *State) after(l *Line) string {
	held, exceptions := maps.Clone(s.Held), s.Exceptions.Digest
	if l.Held != nil {
		held[l.Source] = *l.Held
	}
	if l.Exceptions != nil {
		exceptions = l.Exceptions.Digest
	}
	h := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(held)) {
		fmt.Fprintln(h, id, held[id].N, held[id].Digest, held[id].Damaged)
	}
	fmt.Fprintln(h, exceptions)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Said returns the number of the last line about the list held of a source.
func (s *State) Said(source string) uint64 { return s.pasts[source].said }

// ids returns the sources that ever had a list, sorted.
func (s *State) ids() []string { return slices.Sorted(maps.Keys(s.Held)) }

// Digest returns the digest of a snapshot: of the lists, by source, and the exceptions.
func Digest(lists map[string]string, exceptions string) string {
	var lines []string
	for id, digest := range lists {
		lines = append(lines, id+"\t"+digest+"\n")
	}
	if exceptions != "" {
		lines = append(lines, "exceptions\t"+exceptions+"\n") // ids are in capitals
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// DigestOf returns the digest of the snapshot of the given sources, and which of the sources are held.
func (s *State) DigestOf(ids []string) (digest string, lists []string) {
	held := make(map[string]string)
	for _, id := range ids {
		if h := s.Held[id]; h.N > 0 {
			held[id] = h.Digest
			lists = append(lists, id)
		}
	}
	return Digest(held, s.Exceptions.Digest), lists
}

// A Snapshot is what answered from a time on.
type Snapshot struct {
	State
	Digest string
	Lists  []string // the sources that are held
}

// Snapshots calls each for the snapshots that answered, in the order of the journal: of the given
// sources, of all, of each, and of the sources of each program. The State is valid until each returns.
func Snapshots(ctx context.Context, st store.Store, ids []string, each func(s *Snapshot)) error {
	last := make(map[string]string)
	answered := [][]string{ids} // the sets of sources that count, besides all and each
	return Read(ctx, st, func(l *Line, s *State) error {
		if l.Held == nil && l.Exceptions == nil && l.Opened == nil {
			return nil
		}
		if p := l.Opened; p != nil && p.Answers && !slices.ContainsFunc(answered, func(set []string) bool { return slices.Equal(set, p.Sources) }) {
			answered = append(answered, p.Sources)
		}
		sets := append(slices.Clip(answered), s.ids())
		for _, id := range s.ids() {
			sets = append(sets, []string{id})
		}
		for _, set := range sets {
			digest, lists := s.DigestOf(set)
			if key := strings.Join(set, " "); len(lists) > 0 && last[key] != digest {
				last[key] = digest
				each(&Snapshot{*s, digest, lists})
			}
		}
		return nil
	})
}

// Read calls each for the lines, with the state after them, which is valid until each returns. An error of each ends it.
func Read(ctx context.Context, st store.Store, each func(*Line, *State) error) error {
	s := newState()
	_, err := read(ctx, st, 0, func(l *Line) error {
		s.add(l)
		return each(l, &s)
	})
	return err
}

// At returns what held at a time in the past: exactly that, or an error. Only a clock that was
// put back, and forward again, between two lines goes unseen. now is the present time, and ids are the
// sources that matter; nil: all that had a list.
func At(ctx context.Context, st store.Store, at, now time.Time, ids []string) (*Snapshot, error) {
	s, all := newState(), ids == nil
	var found State      // s before first
	var last, first Line // the last line, and the first one after the time
	var unknown error
	knew := make(map[string]bool) // programs with a line from first on
	damaged, err := read(ctx, st, 0, func(l *Line) error {
		if !l.At.After(at) { // if the clock was put back, the later time counts
			first, unknown = Line{}, nil
			clear(knew)
		} else {
			if first.Number == 0 {
				if first, found = *l, s.Clone(); all {
					ids = found.ids()
				}
			}
			switch {
			case l.hides(at, ids):
				unknown = fmt.Errorf("%w: from %v to %v it is not known what answered: %s", store.ErrGap, l.From, l.At, l.Reason)
			case first.Number != l.Number && l.At.Before(last.At):
				unknown = fmt.Errorf("%w: the clock was put back from %v to %v", store.ErrGap, last.At, l.At)
			}
			knew[l.Program] = true
		}
		last = *l
		s.add(l)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if first.Number == 0 {
		if found = s; all {
			ids = found.ids()
		}
	}
	isAhead, err := found.anyAhead(ctx, st, ids)
	if err != nil {
		return nil, err
	}
	switch {
	case unknown != nil:
	case at.After(now):
		unknown = fmt.Errorf("%w: that time is yet to come", store.ErrGap)
	case first.lost, first.Number == 0 && (damaged > 0 || isAhead):
		unknown = fmt.Errorf("%w: lines of the journal after %v are lost", store.ErrGap, found.At)
	case last.At.After(now) && (first.Number == 0 || first.At.After(now)):
		unknown = fmt.Errorf("%w: the clock was put back after %v", store.ErrGap, last.At)
	default:
		unknown = found.isKnown(at, ids, knew)
	}
	if unknown != nil {
		return nil, unknown
	}
	digest, lists := found.DigestOf(ids)
	return &Snapshot{found, digest, lists}, nil
}

// hides reports whether l says that it is not known what answered at a time.
func (l *Line) hides(at time.Time, ids []string) bool {
	return !l.From.IsZero() && !l.From.After(at) && !l.At.Before(at) && (l.Source == "" || slices.Contains(ids, l.Source))
}

// isKnown returns an error if s has no list, or if it is not known whether a program answered from s at
// a time. knew has the programs that have written later lines.
func (s *State) isKnown(at time.Time, ids []string, knew map[string]bool) error {
	if s.Number == 0 || len(s.Held) == 0 {
		return fmt.Errorf("what answered at %v: %w", at, store.ErrNotFound)
	}
	if s.lost {
		return fmt.Errorf("%w: lines of the journal before %v are lost", store.ErrGap, s.At)
	}
	for _, id := range ids {
		if s.gap > s.Said(id) {
			return fmt.Errorf("%w: lines of the journal are lost that may say when the list of %s was checked", store.ErrGap, id)
		}
		if s.Held[id].Damaged {
			return fmt.Errorf("%w: the list of %s could not be proved then", store.ErrGap, id)
		}
	}
	lived := false // a program that answers has written later
	var until time.Time
	for name, p := range s.writers {
		if !p.Answers {
			continue
		}
		lived = lived || knew[name]
		end := p.last.Add(3 * p.Every)
		if p.Every == 0 {
			end = at
		}
		if end.After(until) {
			until = end
		}
	}
	switch {
	case slices.Contains(ids, s.unsure) && !lived:
		return fmt.Errorf("%w: the program may have been killed before it answered from the list of %s that it had accepted", store.ErrGap, s.unsure)
	case !until.IsZero() && at.After(until) && len(knew) == 0:
		return fmt.Errorf("%w: nobody is known to have answered after %v", store.ErrGap, until)
	}
	return nil
}

// anyAhead reports whether a file of one of the given sources, nil for any, is ahead of the journal whose last line s is after.
func (s *State) anyAhead(ctx context.Context, st store.Store, ids []string) (bool, error) {
	names, err := st.Names(ctx)
	return slices.ContainsFunc(names, func(name string) bool {
		n, _ := stays.ParseName(name)
		return (ids == nil || slices.Contains(ids, n.Source)) && IsAhead(n, s.Said(n.Source), s.Held[n.Source].N)
	}), err
}

// IsAhead reports whether a file was written after the last line of a journal, and has a later
// acceptance than the one held.
func IsAhead(n stays.Name, last uint64, held uint32) bool {
	return n.After >= last && n.Last > held
}
