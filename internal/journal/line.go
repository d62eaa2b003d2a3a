// Package journal is the state of the lists in a [store.Store]: numbered lines. Each one says what
// holds after it, so that the last line of a list is its state. Begin with [New].
package journal

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/sources"
)

// The types of lines.
const (
	// Opened: a program begins. It has Program and Opened.
	Opened = "opened"
	// Accepted: another list of a source is held. It has Source, Held and the counts.
	Accepted = "accepted"
	// Answering: the program that accepted the list of a source answers from it, or the list can be
	// proved again. It has Source and Held.
	Answering = "answering"
	// Checked: the list of a source was found to be the publisher's still. It has Source and Held.
	Checked = "checked"
	// Refused: what a source offered was not accepted. It has Source, Reason and, as far as it is
	// known, Offered.
	Refused = "refused"
	// Damaged: no file proves the list of a source. It has Source and Held.
	Damaged = "damaged"
	// Exceptions: the operator's exceptions have changed. It has Exceptions.
	Exceptions = "exceptions"
	// Gap: between From and At, it is not known what answered; of all sources unless it has Source.
	Gap = "gap"
	// Clock: the clock was put forward or back.
	Clock = "clock"
)

// A Line is a line of the journal.
type Line struct {
	Number  uint64    `json:"-"`
	Type    string    `json:"type"`
	At      time.Time `json:"at"`
	Program string    `json:"program,omitempty"` // that wrote it, by a random text
	Source  string    `json:"source,omitempty"`
	Held    *Held     `json:"held,omitempty"`   // the list of Source after the line; nil: as before
	From    time.Time `json:"from,omitzero"`    // from then until At, it is not known what answered
	Reason  string    `json:"reason,omitempty"` // why a list was refused, or what else happened
	Offered *Held     `json:"offered,omitempty"`
	Added   int       `json:"added,omitempty"`   // entries that the list before did not have
	Removed int       `json:"removed,omitempty"` // entries that only the list before had

	Opened     *Program  `json:"opened,omitempty"`
	Exceptions *Excepted `json:"exceptions,omitempty"`
	After      string    `json:"after,omitempty"` // stands for all that holds after the line, see State.after; "": that is not known

	sum  string
	lost bool // lines before it are lost
}

// A Program says how a program answers.
type Program struct {
	Answers bool          `json:"answers"`         // it answers questions, and does not only load lists
	Every   time.Duration `json:"every,omitempty"` // the longest time between two of its lines; 0: any time
	Sources []string      `json:"sources,omitempty"`
	Scoring string        `json:"scoring,omitempty"`
}

// Excepted are the operator's exceptions.
type Excepted struct {
	Text   string `json:"text"` // as screening.ReadExceptions reads them
	Digest string `json:"digest,omitempty"`
}

// Held is the list that is held after a line.
type Held struct {
	N         uint32           `json:"n,omitempty"`      // the number of its acceptance; 0: none was ever accepted
	Digest    string           `json:"digest,omitempty"` // of its entries
	Entries   int              `json:"entries,omitempty"`
	Addresses int              `json:"addresses,omitempty"`
	Most      int              `json:"most,omitempty"`    // the most addresses it has had since the operator last let it shrink by half
	Accepted  time.Time        `json:"accepted,omitzero"` // when
	Asked     time.Time        `json:"asked,omitzero"`    // when the publisher was last asked for it without conditions
	History   string           `json:"history,omitempty"` // stands for the known past of the list by which it was dated then
	Seed      bool             `json:"seed,omitempty"`    // it came with a program
	Damaged   bool             `json:"damaged,omitempty"` // no file proves it: what an older one has matches, but nobody is clean by it
	Revision  sources.Revision `json:"list"`
}

// Storable returns rev as the journal has it: in UTC, and without texts that are not UTF-8.
func Storable(rev sources.Revision) sources.Revision {
	for _, text := range []*string{&rev.Provenance, &rev.ETag, &rev.LastModified} {
		if !utf8.ValidString(*text) {
			*text = ""
		}
	}
	for _, t := range []*time.Time{&rev.Published, &rev.Checked} {
		if *t = t.UTC().Round(0); t.IsZero() || t.Year() < 0 || t.Year() > 9999 {
			*t = time.Time{}
		}
	}
	return rev
}

// Is reports whether two states are of the same acceptance.
func (h *Held) Is(other *Held) bool { return h.N == other.N && h.Digest == other.Digest }

// Most returns the greatest number of addresses that a list has had since it last lost more than
// half of them, which only the operator can accept: most before, and addresses now.
func Most(most, addresses int) int {
	if addresses*2 < most {
		return addresses
	}
	return max(most, addresses)
}

// maxReason bounds the reason of a refusal, in bytes.
const maxReason = 4096

// format returns the line, and sets its checksum.
func (l *Line) format() ([]byte, error) {
	l.Reason = strings.ToValidUTF8(l.Reason[:min(len(l.Reason), maxReason)], "\uFFFD")
	l.At, l.From = l.At.UTC().Round(0), l.From.UTC().Round(0)
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	b, sum := line.Format(l.Number, text)
	l.sum = sum
	return b, nil
}

// parse returns a line. It reports false if it is damaged.
func parse(b []byte) (l Line, ok bool) {
	p, ok := line.Parse(b)
	if !ok || json.Unmarshal(p.Text, &l) != nil || l.Type == "" || l.At.IsZero() {
		return Line{}, false
	}
	l.Number, l.sum = p.Seq, p.Sum
	return l, true
}
