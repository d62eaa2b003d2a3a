package screening

import (
	"log/slog"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources/store"
)

// Options are the options of New. A nil *Options, and the zero value of each field,
// mean the defaults.
type Options struct {
	// Optional are the ids of the sources that need not be loaded for an answer.
	// All others are required.
	Optional []string

	// Table is the scoring. Nil means score.Latest(). To pin a version across upgrades
	// of this module, use score.Lookup.
	Table *score.Table

	// MaxAge makes staleness an error: if the last successful check of a required
	// source is longer ago, Screen returns ErrStale. Zero means that the age is only
	// shown.
	MaxAge time.Duration

	// MaxPublished limits, by the id of a source, how long ago the publisher's date of its
	// list may be. If the list of a required source was published longer ago, or has no
	// date, Screen returns ErrStale. Without a limit here, a list that is older than the
	// Rhythm of its [sources.Info] has a [Caveat] only.
	MaxPublished map[string]time.Duration

	// Accept decides whether the list that came from a source is accepted although it is
	// suspect: it was loaded without an error, but differs from the list held in
	// a way that suggests a fault. reason says why, and wraps one of these errors:
	//
	//   - [ErrShrunk]: the list lost more than a fifth of the addresses, and at least 3, whatever
	//     others it gained; or by and by more than half of them. A bundled list held may lose any;
	//   - [ErrEmptied]: it lost all addresses: perhaps the publisher changed the format;
	//   - [ErrGrown]: it has more than ten times the addresses, and 10,000 more, unless the
	//     list held is a part of the list, was assembled, or is a seed;
	//   - [ErrOlder]: it was published earlier: perhaps a mirror is stale; or it has no date,
	//     and is a copy from before the list held was checked, which is ignored otherwise;
	//   - [ErrFuture]: its date of publication is more than two days ahead, unless it is bundled;
	//   - [ErrCut]: it lost entries, more than repetitions, only at its end, in a format that cannot show that it
	//     was cut; or it only lost entries, and the list held came in a format that
	//     shows it. A list with more records than the one held was not cut, and the last entry
	//     of a cut one may be new.
	//
	// A list of the operator's own, of jurisdiction [sources.Operator], is never suspect.
	// Accept is called for each reason, and must accept all of them. It may be called concurrently,
	// for several sources. Nil accepts none. A list that it accepts is logged as a warning.
	Accept func(source string, reason error, held, came SourceStatus) bool

	// Store keeps the lists that were accepted, and a journal of what happened to
	// them, so that lists survive a restart and OpenAt and OpenDigest can answer as
	// of an earlier time. A list decides once it is saved. While the store fails, the lists held go on
	// answering with CaveatStore, and their age grows; what an accepted list adds matches at once, and what it
	// drops stays. Several programs may use one store; each uses the lists that another has accepted.
	// Package store has one in a directory. Nil keeps the lists in memory only.
	Store store.Store

	// LoadOnly says that this program loads lists into Store for other programs, and answers no
	// question: each one is an error.
	LoadOnly bool

	// Schedule sets, by the id of a source, how often Run loads it and how long a load
	// may take, if that differs from the default.
	Schedule map[string]Schedule

	// Bytes is called while a source reads its list: read counts the bytes so far, total
	// is how many there are, or -1. See [sources.WithProgress]. It is called from several
	// goroutines and should return quickly.
	Bytes func(source string, read, total int64)

	// Report is called with what Open, Refresh, Run and SetExceptions have done, once
	// questions are answered accordingly. Open and Refresh report what they return,
	// unless their context ended before they began; Run reports one source
	// whenever it has opened or loaded a list, or failed to. A [Book] that is asked
	// about each Report misses nothing: each begins where the previous Report ended, or
	// earlier. Calls of Report do not overlap, and no list is swapped in until it
	// returns, so it should return quickly. It must not call any of these four methods.
	//
	// [Book]: https://pkg.go.dev/github.com/walletscreen/walletscreen/screening/book#Book
	Report func(Report)

	// Logger logs every refresh. Nil means no log. It never receives a screened
	// address.
	Logger *slog.Logger
}
