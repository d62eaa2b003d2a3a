package screening

import (
	"errors"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// Limits of a plausible list.
const (
	defaultMaxShrink = 0.2
	minShrunk        = 3              // addresses; fewer are lost in the ordinary course
	maxGrowth        = 10             // times
	minGrown         = 10_000         // addresses that any list may gain
	maxAhead         = 48 * time.Hour // by how much the publisher's date of a list may lie in the future
)

// isAhead reports whether a publisher's date lies in the future at the time now, so that it says
// nothing about the age of a list.
func isAhead(published, now time.Time) bool { return published.After(now.Add(maxAhead)) }

// A sight is what judge knows of a list that is held or offered.
type sight struct {
	digest             string // names it; "": there is no list
	completeness       sources.Completeness
	provenance         string    // where it comes from, if not from the publisher
	seed               bool      // it comes with this program
	published          time.Time // the publisher's date; zero: none
	read               time.Time // when it was read, or confirmed since; zero: now
	records            int
	entries, addresses int

	most     int  // of a list that is held: the addresses that it has had, see journal.Most
	behind   bool // another list was accepted later, and cannot be opened
	later    later
	replaced bool // of a list that is offered: a list that was accepted has replaced it before
}

// later is what the journal says of a list that was accepted and cannot be opened.
type later struct {
	published time.Time
	addresses int
}

// isLoaded reports whether all of the list accepted last is held.
func (s *sight) isLoaded() bool {
	return s.digest != "" && s.completeness != sources.Partial && !s.behind
}

// isBundled reports whether the list may be years old, so that most of it has changed since.
func (s *sight) isBundled() bool { return s.seed || s.provenance != "" }

// A comparison is all on which it depends whether a list that is offered replaces the list held.
type comparison struct {
	held, offered sight
	own           bool // a list of the operator's own
	asks          bool // the operator decides on suspect lists
	maxShrink     float64
	now           time.Time
	same          bool // their entries are the same

	counted bool // the following are known
	lost    int  // how many addresses of the list held the other one lacks, if they are too many
	cut     bool // it may be the list held without its end
}

// mayLose returns how many of its addresses a list may lose.
func mayLose(maxShrink float64, addresses int) int {
	return max(minShrunk-1, int(maxShrink*float64(addresses)))
}

// A decision says what becomes of a list that is offered.
type decision int

const (
	accepted  decision = iota // it replaces the list held
	confirmed                 // it is the list held
	ignored                   // nothing happens, and nothing is wrong
	refused                   // nothing happens, and that is an error
)

// A verdict is a decision, and the law that the list broke unless it is accepted.
type verdict struct {
	decision
	reason error
}

var (
	errNoDigest  = errors.New("no digest: the source returned no revision")
	errNoRecords = errors.New("no records: an empty list counts as broken")
	errPart      = errors.New("only a part of the list, while all of it is held")
	errRead      = errors.New("read before the list that is held")
	errReplaced  = errors.New("a list that comes with the program, and was replaced")
	errSame      = errors.New("the same list")
)

// judge says what becomes of a list that is offered beside the list held. It is the only place
// where two lists are compared, and each line is a law: if it is broken, that is decided, unless
// the law is left to the operator and accept accepts the reason. Before the lists are counted,
// judge says accepted if counting must decide. A time to come is no evidence of anything.
func judge(c *comparison, accept func(suspect error) bool) verdict {
	held, o := c.held, c.offered
	first := held.digest == ""
	for _, t := range []*time.Time{&held.published, &held.later.published} {
		if isAhead(*t, c.now) {
			*t = time.Time{}
		}
	}
	if isFuture(held.read, c.now) {
		held.read = time.Time{}
	}
	before := !first && !o.read.IsZero() && o.read.Before(held.read) // a copy, such as a seed
	older := before
	if !held.published.IsZero() && !o.published.IsZero() {
		older = !first && o.published.Before(held.published)
	}
	was := held.published
	if late := held.later.published; late.After(was) && !o.published.IsZero() && o.published.Before(late) {
		older, was = true, late
	}
	shrunk, from, lost := c.shrunk()
	for _, law := range []struct {
		broken   bool
		decision decision
		reason   error
		operator bool // decides, but not on a list of his own
	}{
		{o.digest == "", refused, errNoDigest, false},
		{o.records <= 0 && !c.own, refused, errNoRecords, false},
		{before && !isImport(&held, &o, c.asks), ignored, errRead, false},
		{o.seed && (o.behind || o.replaced), ignored, errReplaced, false},
		{held.isLoaded() && o.completeness == sources.Partial, refused, errPart, false},
		{c.same && !held.behind && o.digest == held.digest && o.completeness == held.completeness, confirmed, errSame, false},
		{!first && o.addresses == 0 && held.addresses > 0, refused, ErrEmptied, true},
		{shrunk, refused, fmt.Errorf("%w: from %d to %d addresses, and %d are lost", ErrShrunk, from, o.addresses, lost), true},
		{older, refused, olderBy(was, held.read, &o), true},
		{!first && !held.isBundled() && held.completeness == sources.Whole && o.addresses-held.addresses > minGrown && o.addresses > maxGrowth*held.addresses, refused, ErrGrown, true},
		{c.cut && held.isLoaded() && o.records <= held.records, refused, // more, if an account was unfrozen: its list has one more event
			fmt.Errorf("%w: from %d to %d entries; the download may have been cut", ErrCut, held.entries, o.entries), true},
		{isAhead(o.published, c.now) && !o.seed, refused, fmt.Errorf("%w: it is of %s", ErrFuture, o.published.Format(time.DateOnly)), true},
	} {
		reason := law.reason
		if reason == ErrEmptied || reason == ErrGrown {
			reason = fmt.Errorf("%w: from %d to %d addresses", reason, held.addresses, o.addresses)
		}
		switch {
		case !law.broken:
		case !law.operator:
			return verdict{law.decision, reason}
		case c.own || !c.counted || accept != nil && accept(reason):
		default:
			return verdict{law.decision, fmt.Errorf("suspect, not accepted: %w", reason)}
		}
	}
	return verdict{}
}

// shrunk reports whether the list offered has lost more addresses than it may: at once; by and
// by, more than half of the most it has had, unless it may lose half at once; or beside a later
// list that cannot be opened. It
// returns how many there were, and how many are lost.
func (c *comparison) shrunk() (shrunk bool, from, lost int) {
	held, n := &c.held, c.offered.addresses
	switch late := held.later.addresses; {
	case held.digest != "" && n == 0 && held.addresses > 0: // it was emptied
		return false, 0, 0
	case held.digest != "" && c.lost > mayLose(c.maxShrink, held.addresses):
		return true, held.addresses, c.lost
	case held.most-n >= minShrunk && n*2 < held.most && c.maxShrink < 0.5:
		return true, held.addresses, held.most - n
	case late-n > mayLose(c.maxShrink, late):
		return true, late, late - n
	}
	return false, 0, 0
}

// isImport reports whether o is another publication than held, and is not bundled: then it is not
// ignored even if it was read earlier, but accepted, or suspect. If it has no date, only an operator
// who is asked can know.
func isImport(held, o *sight, asks bool) bool {
	switch {
	case o.isBundled() || o.completeness == sources.Partial:
		return false
	case !held.published.IsZero() && !o.published.IsZero():
		return !held.published.Equal(o.published)
	}
	return asks && held.digest != o.digest
}

// olderBy is the reason that o is older than the list held, which was published and read at the
// given times.
func olderBy(published, read time.Time, o *sight) error {
	came := o.published
	if came.IsZero() || published.IsZero() {
		came, published = o.read, read
	}
	return fmt.Errorf("%w: it is of %s, the one held of %s", ErrOlder, came.Format(time.DateOnly), published.Format(time.DateOnly))
}
