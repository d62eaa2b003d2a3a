package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A memory is what a Journal remembers of the journal. It keeps the order of the lines,
// because clocks may jump.
type memory struct {
	next      int64             // the position up to which it was read
	lines     int64             // the position of the lines that are being added
	revisions map[string]*known // by source, a blank, and reference
	accepted  int               // number of revisions with an Accepted event
	marks     []mark            // Answering and Gap events, and damaged lines that may be some
	texts     map[string][]byte // payloads of Exceptions events, by the SHA-256 in hex
	latest    int64             // greatest At since the last mark
	clock     int64             // the At of the last event; a Confirmed event does not put it back
	elapsed   int64             // the time that has passed, in nanoseconds, without long steps
	torn      []byte            // the line before, if it is damaged and may be an Answering event

	newest map[string]acceptance // the last Accepted event by source
	most   map[string]int        // see Most
}

// known has the facts in the journal about a revision.
type known struct {
	position int64    // from which its Accepted event, and what precedes it, are read
	before   []string // keys of revisions from which Changed events lead to this one
	after    []string // keys of revisions to which they lead from this one
	order    int      // number of its first Accepted event, counted from 1; 0 if there is none
	elapsed  int64    // of the journal, at that event
	late     bool     // that event was written long after the revision was accepted
	accepted []byte   // the payload of that event
	list     []byte   // the last payload that has a list
	checks   []int64  // times of the events after it, in nanoseconds since 1970
}

// A mark is an Answering event, a Gap event, or a damaged line that may be one.
type mark struct {
	at     int64  // in nanoseconds since 1970; of a gap, its beginning
	until  int64  // the end of a gap; 0 for others
	answer []byte // the payload; nil for a gap and for a damaged line
	idle   bool   // Event.LoadOnly
	before int64  // greatest At of the events between this mark and the previous one
}

// An acceptance is an Accepted event.
type acceptance struct {
	ref   string // the reference of its revision
	at    int64  // in nanoseconds since 1970
	marks int    // the number of marks before it
}

func newMemory() *memory {
	return &memory{
		revisions: make(map[string]*known), texts: make(map[string][]byte), newest: make(map[string]acceptance), most: make(map[string]int),
		latest: math.MinInt64, clock: math.MinInt64,
	}
}

// maxStep is the longest time between two events that counts as elapsed. A longer one means
// that no program ran, or that a clock jumped.
const maxStep = 48 * time.Hour

// tick sets the clock to the time of an event.
func (j *memory) tick(l *line) {
	if l.at < j.clock && l.kind == Confirmed { // a list may have been checked long before
		return
	}
	if step := l.at - j.clock; j.clock != math.MinInt64 && step > 0 && step <= int64(maxStep) {
		j.elapsed += step
	}
	j.clock = l.at
}

// knownUntil returns the time of the last event that is not later than now.
func (j *memory) knownUntil(now int64) int64 {
	if j.clock <= now {
		return j.clock
	}
	last := int64(math.MinInt64)
	for _, m := range j.marks {
		for _, at := range []int64{m.at, m.until, m.before} {
			if at <= now {
				last = max(last, at)
			}
		}
	}
	return last
}

// read reads the lines that were appended to the journal of st since the last call.
func (j *memory) read(ctx context.Context, st store.Store) error {
	for {
		lines, next, err := st.Read(ctx, j.next)
		if err != nil {
			return err
		}
		if next < j.next { // another journal
			*j = *newMemory()
		}
		j.lines = min(j.next, next)
		for text := range bytes.Lines(lines) {
			if text = bytes.TrimSuffix(text, []byte("\n")); len(text) > 0 {
				j.add(text)
			}
		}
		if next == j.next {
			return nil
		}
		j.next = next
	}
}

// add adds a line.
func (j *memory) add(text []byte) {
	l, ok := parseLine(text)
	if !ok {
		j.torn = nil
		if !harmless(text) {
			j.mark(mark{})
			j.torn = bytes.Clone(text)
		}
		return
	}
	if j.torn != nil && bytes.HasPrefix(text, j.torn) { // cut short by a full disk, and written again
		j.latest = j.marks[len(j.marks)-1].before
		j.marks = j.marks[:len(j.marks)-1]
	}
	j.torn = nil
	j.tick(&l)
	switch l.kind {
	case Accepted:
		j.newest[string(l.source)] = acceptance{string(l.ref), l.at, len(j.marks)}
		if r := j.revision(&l); r.order == 0 {
			j.accepted++
			p, _ := l.parsePayload()
			j.most[string(l.source)] = Most(j.most[string(l.source)], p.Addresses)
			r.position = j.lines
			r.order, r.elapsed, r.accepted = j.accepted, j.elapsed, bytes.Clone(l.json)
			stamp, _, _ := bytes.Cut(l.ref, []byte("-"))
			accepted, err := time.Parse(revision.StampForm, string(stamp))
			r.late = err == nil && accepted.UnixNano() < l.at
			r.list = r.accepted
		} else {
			r.check(&l)
		}
	case Confirmed:
		j.revision(&l).check(&l)
	case Changed:
		j.change(&l)
	case Answering:
		j.mark(mark{at: l.at, answer: bytes.Clone(l.json), idle: bytes.Contains(l.json, []byte(`"load_only":true`))})
		return
	case Gap:
		p, ok := l.parsePayload()
		if !ok {
			j.mark(mark{})
			return
		}
		j.mark(mark{at: nanos(p.From), until: l.at})
		return
	case Exceptions:
		if p, ok := l.parsePayload(); ok {
			j.texts[digestOf(p.Exceptions)] = bytes.Clone(l.json)
		}
	}
	j.latest = max(j.latest, l.at)
}

// change adds a Changed event.
func (j *memory) change(l *line) {
	var p struct{ Before string }
	if json.Unmarshal(l.json, &p) != nil || p.Before == "" {
		return
	}
	from, to := string(l.source)+" "+p.Before, string(l.source)+" "+string(l.ref)
	r := j.revision(l)
	if slices.Contains(r.before, from) {
		return
	}
	r.before = append(r.before, from)
	if j.revisions[from] == nil {
		j.revisions[from] = new(known)
	}
	j.revisions[from].after = append(j.revisions[from].after, to)
}

// mark adds a mark.
func (j *memory) mark(m mark) {
	m.before = j.latest
	j.marks = append(j.marks, m)
	j.latest = math.MinInt64
}

// check adds a Confirmed event, or an Accepted event that is not the first.
func (r *known) check(l *line) {
	at := l.at
	if l.json != nil {
		p, ok := l.parsePayload()
		if !ok {
			return
		}
		checked := p.list().Checked
		if r.list, at = bytes.Clone(l.json), nanos(checked); checked.IsZero() {
			return
		}
	}
	r.checks = append(r.checks, at)
}

// nanos returns the nanoseconds from 1970 to t, as many as fit.
func nanos(t time.Time) int64 {
	switch y := t.Year(); {
	case y < firstYear:
		return math.MinInt64
	case y > lastYear:
		return math.MaxInt64
	}
	return t.UnixNano()
}

// revision returns the facts about the revision of a line, for the caller to change.
func (j *memory) revision(l *line) *known {
	var buf [128]byte
	key := append(append(append(buf[:0], l.source...), ' '), l.ref...)
	r := j.revisions[string(key)]
	if r == nil {
		r = new(known)
		j.revisions[string(key)] = r
	}
	return r
}

// of returns the facts about the revision called name, or nil if there are none.
func (j *memory) of(name string) *known {
	return j.revisions[keyOf(name)]
}

// keyOf returns the key of the revision called name in journal.revisions.
func keyOf(name string) string {
	source, _, _, _ := revision.ParseName(name)
	ref, _ := reference(name)
	return source + " " + ref
}

// event returns the event of a line that is not damaged. It reports false if it cannot
// be read after all.
func (j *memory) event(l *line) (Event, bool) {
	p, ok := l.parsePayload()
	if !ok {
		return Event{}, false
	}
	e := Event{
		Type: l.kind, At: time.Unix(0, l.at).UTC(), From: p.From, List: p.list(),
		Entries: p.Entries, Addresses: p.Addresses, Added: p.Added, Removed: p.Removed, LoadOnly: p.LoadOnly,
		Reason: p.Reason, Digest: p.Digest, Lists: p.Lists, Broken: p.Broken, Exceptions: p.Exceptions,
	}
	if string(l.source) != "-" {
		e.Source = string(l.source)
	}
	if p.ExceptionDigest != "" {
		text := payload{}
		of := line{json: j.texts[p.ExceptionDigest]}
		if of.json == nil {
			return Event{}, false
		}
		if text, ok = of.parsePayload(); !ok {
			return Event{}, false
		}
		e.Exceptions = text.Exceptions
	}
	if string(l.ref) == "-" {
		return e, true
	}
	e.Revision = j.name(l, e.List.Digest)
	if l.kind == Changed {
		var err error
		if e.Delta, err = inflate(p.Changes); err != nil {
			return Event{}, false
		}
		if p.Before != "" {
			e.Before = j.name(&line{source: l.source, ref: []byte(p.Before)}, "")
		}
	}
	if l.kind == Confirmed && l.json == nil {
		e.List.Checked = e.At
	}
	return e, true
}

// name returns the name of the revision of a line, given its digest if that is known. It
// returns "" if the line of its Accepted event was damaged.
func (j *memory) name(l *line, digest string) string {
	if digest == "" {
		accepted := line{json: j.revision(l).accepted}
		p, _ := accepted.parsePayload()
		digest = p.list().Digest
	}
	stamp, short, _ := bytes.Cut(l.ref, []byte("-"))
	name := string(l.source) + "-" + string(stamp) + "-" + digest + revision.Suffix
	if _, _, _, ok := revision.ParseName(name); !ok || digest[:revision.ShortDigest] != string(short) {
		return ""
	}
	return name
}

// answer returns the Answering event of a mark.
func (j *memory) answer(m *mark) (Event, bool) {
	return j.event(&line{kind: Answering, at: m.at, source: []byte("-"), ref: []byte("-"), json: m.answer})
}

// newestAnswer returns the last Answering event. It reports false if there is none, or if a
// gap or a damaged line that may be a later one follows.
func (j *memory) newestAnswer() (Event, bool) {
	if len(j.marks) == 0 || j.marks[len(j.marks)-1].answer == nil {
		return Event{}, false
	}
	return j.answer(&j.marks[len(j.marks)-1])
}

// acceptedLast returns the name of the revision of a source that was accepted last, "" if it is not
// known.
func (j *memory) acceptedLast(source string) string {
	last, ok := j.newest[source]
	if !ok {
		return ""
	}
	return j.name(&line{source: []byte(source), ref: []byte(last.ref)}, "")
}

// brokenLast returns the name of the revision of a source that the last Answering event in which
// the source has a list, or a broken one, says was broken; "" if none was. A program that has just
// started answers from the lists that it has opened so far.
func (j *memory) brokenLast(source string) string {
	for i := range slices.Backward(j.marks) {
		if j.marks[i].answer == nil {
			continue
		}
		e, _ := j.answer(&j.marks[i])
		name := e.Broken[source]
		if of, _, _, ok := revision.ParseName(name); ok && of == source {
			return name
		}
		if e.Lists[source] != "" {
			return ""
		}
	}
	return ""
}

// damagedAfter reports whether a line after mark i, which may be an Answering event of
// the time at or before, is damaged. Events that are later than at show that what
// follows them is later, too.
func (j *memory) damagedAfter(i int, at int64) bool {
	latest := int64(math.MinInt64)
	for _, m := range j.marks[i+1:] {
		latest = max(latest, m.before)
		if m.answer == nil && m.until == 0 && latest <= at {
			return true
		}
		if m.answer != nil || m.until != 0 {
			latest = max(latest, m.at, m.until)
		}
	}
	return false
}

// digestOf returns the SHA-256 of a text in hex, "" for the empty text.
func digestOf(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
