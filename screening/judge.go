package screening

import (
	"errors"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/sources"
)

// Limits of a plausible list.
const (
	maxShrink = 0.2            // the share of its addresses that a list may lose
	minShrunk = 3              // addresses; fewer are lost in the ordinary course
	maxGrowth = 10             // times
	minGrown  = 10_000         // addresses that any list may gain
	maxAhead  = 48 * time.Hour // by how much the publisher's date of a list may lie in the future
)

// isAhead reports whether a publisher's date lies in the future at the time now, so that it says
// nothing about the age of a list.
func isAhead(published, now time.Time) bool { return published.After(now.Add(maxAhead)) }

// A sight is what judge knows of a list that is held or offered.
type sight struct {
	journal.Held           // without a digest of the document, there is no list
	read         time.Time // when it was read, or confirmed since; zero: now

	later    journal.Held // of a list that is held: one that was accepted later, and cannot be opened
	replaced bool         // of a list that is offered: another one was accepted later
	untimely bool         // of a list that is offered: the clock, or the journal, contradicts the time when it was read
}

// isLoaded reports whether all of the list accepted last is held.
func (s *sight) isLoaded() bool {
	return s.Revision.Digest != "" && s.Revision.Completeness != sources.Partial && s.later.N == 0
}

// isBundled reports whether the list may be years old, so that most entries have changed since.
func (s *sight) isBundled() bool { return s.Seed || s.Revision.Provenance != "" }

// A comparison is all on which it depends whether a list that is offered replaces the list held.
type comparison struct {
	held, offered sight
	own           bool // a list of the operator's own
	asks          bool // the operator decides on suspect lists
	now           time.Time
	same          bool // their entries are the same

	counted bool // the following are known
	lost    int  // how many addresses of the list held the other one lacks, if they are too many
	cut     bool // it may be the list held without its end
}

// mayLose returns how many of its addresses a list may lose.
func mayLose(addresses int) int {
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
	errOvertaken = errors.New("the source says that the list is unchanged, but another program has accepted another one meanwhile")
	errReplaced  = errors.New("a list that comes with the program, and was replaced")
	errSame      = errors.New("the same list")
	errUntimely  = errors.New("read at a time that is not known, while another list was accepted")
)

// A law is what a list that is offered must not break beside the list held.
type law struct {
	broken   func(c *comparison) bool
	decision decision
	reason   func(c *comparison) error
	operator bool // decides, but not on a list of his own
}

// laws are in the order in which they count.
var laws = []law{
	{func(c *comparison) bool { return c.offered.Revision.Digest == "" }, refused, says(errNoDigest), false},
	{func(c *comparison) bool { return c.offered.Revision.Records <= 0 && !c.own }, refused, says(errNoRecords), false},
	{func(c *comparison) bool { return c.before() && !isImport(&c.held, &c.offered, c.asks) }, ignored, says(errRead), false},
	{isReplacedSeed, ignored, says(errReplaced), false},
	{func(c *comparison) bool {
		return c.held.isLoaded() && c.offered.Revision.Completeness == sources.Partial
	}, refused, says(errPart), false},
	{isSame, confirmed, says(errSame), false},
	{isUntimely, refused, says(errUntimely), false},
	{func(c *comparison) bool { return c.hasList() && c.offered.Addresses == 0 && c.held.Addresses > 0 }, refused, says(ErrEmptied), true},
	{func(c *comparison) bool { is, _, _ := c.shrunk(); return is }, refused, saysShrunk, true},
	{func(c *comparison) bool { is, _ := c.older(); return is }, refused, saysOlder, true},
	{hasGrown, refused, says(ErrGrown), true},
	{isCutOff, refused, says(ErrCut), true},
	{func(c *comparison) bool { return isAhead(c.offered.Revision.Published, c.now) && !c.offered.Seed }, refused, saysFuture, true},
}

// judge says what becomes of a list that is offered beside the list held. It is the only place
// where two lists are compared: if a law is broken, that is decided, unless the law is left to the
// operator and accept accepts the reason. Before the lists are counted, judge says accepted if
// counting must decide. A time to come is no evidence of anything.
func judge(given *comparison, accept func(suspect error) bool) verdict {
	c := *given
	published := []*time.Time{&c.held.Revision.Published, &c.held.later.Revision.Published}
	read := []*time.Time{&c.held.read, &c.held.later.Revision.Checked}
	if c.offered.Seed {
		published, read = append(published, &c.offered.Revision.Published), append(read, &c.offered.read)
		if c.held.Seed && isAhead(c.held.Revision.Published, c.now) && isAhead(c.offered.Revision.Published, c.now) {
			published = nil // the clock is behind, and of two seeds the later one is newer nevertheless
		}
	}
	for _, t := range published {
		if isAhead(*t, c.now) {
			*t = time.Time{}
		}
	}
	for _, t := range read {
		if isFuture(*t, c.now) {
			*t = time.Time{}
		}
	}
	for _, law := range laws {
		if !law.broken(&c) {
			continue
		}
		reason := law.reason(&c)
		if !law.operator {
			return verdict{law.decision, reason}
		}
		if !c.own && c.counted && (accept == nil || !accept(reason)) {
			return verdict{law.decision, fmt.Errorf("suspect, not accepted: %w", reason)}
		}
	}
	return verdict{}
}

// says returns a reason, with the numbers of addresses or entries that it is about.
func says(reason error) func(*comparison) error {
	return func(c *comparison) error {
		switch reason {
		case ErrEmptied, ErrGrown:
			return fmt.Errorf("%w: from %d to %d addresses", reason, c.held.Addresses, c.offered.Addresses)
		case ErrCut:
			return fmt.Errorf("%w: from %d to %d entries; the download may have been cut", reason, c.held.Entries, c.offered.Entries)
		}
		return reason
	}
}

// hasList reports whether a list is held.
func (c *comparison) hasList() bool { return c.held.Revision.Digest != "" }

// before reports whether the list offered was read before the one held, or before a later one that cannot be
// opened: it is a copy, such as a seed.
func (c *comparison) before() bool {
	read := c.offered.read
	return !read.IsZero() && (c.hasList() && read.Before(c.held.read) || read.Before(c.held.later.Revision.Checked))
}

// isReplacedSeed reports whether the list offered comes with the program, and another one has replaced it, or is a newer seed. If
// it does not say how old it is, it replaces only a seed that does not say so either.
func isReplacedSeed(c *comparison) bool {
	held, came := c.held.Revision.Published, c.offered.Revision.Published
	isNew := !c.offered.read.IsZero() || came.After(c.held.read)
	isUndated := c.held.Seed && c.held.read.IsZero() && held.IsZero()
	isOlder := c.held.Seed && !came.IsZero() && came.Before(held)
	return c.offered.Seed && (c.offered.replaced || isOlder || !isNew && !isUndated && c.held.isLoaded())
}

// older reports whether the list offered is older than the list held, or than a later one that cannot be opened, and when that
// was published. Without dates of both, it is older if it was read before.
func (c *comparison) older() (older bool, published time.Time) {
	held, came := c.held.Revision.Published, c.offered.Revision.Published
	older = c.before()
	if !held.IsZero() && !came.IsZero() {
		older = c.hasList() && came.Before(held)
	}
	if late := c.held.later.Revision.Published; late.After(held) && !came.IsZero() && came.Before(late) {
		return true, late
	}
	return older, held
}

// isSame reports whether both lists are the same, and nothing is missing of the list held.
func isSame(c *comparison) bool {
	return c.same && c.held.later.N == 0 && c.offered.Revision.Digest == c.held.Revision.Digest && c.offered.Revision.Completeness == c.held.Revision.Completeness
}

// isUntimely reports whether neither a date nor a clock says which list is newer.
func isUntimely(c *comparison) bool {
	held, came := c.held.Revision.Published, c.offered.Revision.Published
	return c.offered.untimely && (c.hasList() || c.held.later.N > 0) && (held.IsZero() || came.IsZero() || held.Equal(came))
}

// hasGrown reports whether the list offered has more addresses than it may gain at once.
func hasGrown(c *comparison) bool {
	more := c.offered.Addresses - c.held.Addresses
	return c.hasList() && !c.held.isBundled() && c.held.Revision.Completeness == sources.Whole && more > minGrown && c.offered.Addresses > maxGrowth*c.held.Addresses
}

// isCutOff reports whether the list offered may be the list held without its end. If it has more records, an account was
// unfrozen: its list has one more event.
func isCutOff(c *comparison) bool {
	return c.cut && c.held.isLoaded() && c.offered.Revision.Records <= c.held.Revision.Records
}

func saysShrunk(c *comparison) error {
	_, from, lost := c.shrunk()
	return fmt.Errorf("%w: from %d to %d addresses, and %d are lost", ErrShrunk, from, c.offered.Addresses, lost)
}

func saysFuture(c *comparison) error {
	return fmt.Errorf("%w: it is of %s", ErrFuture, c.offered.Revision.Published.Format(time.DateOnly))
}

// saysOlder compares the dates of publication, or else the times of reading.
func saysOlder(c *comparison) error {
	_, held := c.older()
	came := c.offered.Revision.Published
	if came.IsZero() || held.IsZero() {
		came, held = c.offered.read, c.held.read
	}
	return fmt.Errorf("%w: it is of %s, the one held of %s", ErrOlder, came.Format(time.DateOnly), held.Format(time.DateOnly))
}

// shrunk reports whether the list offered has lost more addresses than it may: at once; by and
// by, more than half of the most it has had, unless it may lose half at once; or beside a later
// list that cannot be opened. It returns how many there were, and how many are lost.
func (c *comparison) shrunk() (shrunk bool, from, lost int) {
	held, n := &c.held, c.offered.Addresses
	switch late := held.later.Addresses; {
	case held.Revision.Digest != "" && n == 0 && held.Addresses > 0: // it was emptied
		return false, 0, 0
	case held.Revision.Digest != "" && c.lost > mayLose(held.Addresses):
		return true, held.Addresses, c.lost
	case held.Most-n >= minShrunk && n*2 < held.Most:
		return true, held.Addresses, held.Most - n
	case late-n > mayLose(late):
		return true, late, late - n
	}
	return false, 0, 0
}

// isImport reports whether o is another publication than held, and is not bundled: then it is not
// ignored even if it was read earlier, but accepted, or suspect. If it has no date, only an operator
// who is asked can know.
func isImport(held, o *sight, asks bool) bool {
	switch {
	case o.isBundled() || o.Revision.Completeness == sources.Partial:
		return false
	case !held.Revision.Published.IsZero() && !o.Revision.Published.IsZero():
		return !held.Revision.Published.Equal(o.Revision.Published)
	}
	return asks && held.Revision.Digest != o.Revision.Digest
}
