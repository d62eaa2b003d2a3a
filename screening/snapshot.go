package screening

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// A snapshot is the lists of all sources at one instant, ready for questions. It is
// never changed after it was stored.
type snapshot struct {
	*settings
	held       []current     // by source
	exceptions *exceptionSet // nil: none
	basis      *basis

	notLoaded error     // why there are no answers; nil if every required source is loaded
	due       time.Time // when a required list becomes too old; zero: never
	newest    time.Time // the newest check of a list that does; zero: there is none

	lists   []heldList      // the lists that are loaded
	small   []*index.Table  // of those that share a filter
	filters []*index.Filter // the filter that small lists share, and the filters of the others
	scripts bool            // a list has an account of a script, which may wrap a witness program

	clean Result // the Result of a clean address, without the address
}

// newSnapshot returns the snapshot of the lists that are held. storeErr is why the store does not
// know from what questions are answered. prev, if it is not nil, is the snapshot
// before, whose filter may be used again.
func newSnapshot(set *settings, all []current, exceptions *exceptionSet, storeErr error, prev *snapshot) *snapshot {
	snap := &snapshot{settings: set, held: all, exceptions: exceptions}
	lists := make(map[string]string)
	var status []SourceStatus
	var latest time.Time
	unsaved := storeErr != nil
	for i := range all {
		h, id := &all[i], set.infos[i].ID
		st := h.status(set.infos[i], set.required[i])
		if st.StoreErr == nil && storeErr != nil {
			st.StoreErr = sourceError(id, storeErr)
		}
		matching := []*list.List{h.list}
		if u := h.unsaved; u != nil {
			matching = append(matching, u.list)
			if u.err != nil && st.StoreErr == nil { // other calls of the store work
				unsaved, st.StoreErr = true, sourceError(id, u.err)
			}
		}
		if status = append(status, st); st.LastUpdated.After(latest) {
			latest = st.LastUpdated
		}
		for _, l := range matching {
			if l == nil {
				continue
			}
			lists[id] += l.Digest
			snap.lists = append(snap.lists, heldList{l, id})
			snap.scripts = snap.scripts || l.Scripts
			if past := l.Past(); past != nil {
				snap.lists = append(snap.lists, heldList{past, id})
			}
		}
		if h.damaged != nil && h.list != nil {
			lists[id] += " damaged" // it is of no acceptance that the journal proves
		}
	}
	snap.require()
	snap.share(prev)
	excepted := ""
	if exceptions != nil {
		excepted = exceptions.digest
	}
	snap.basis = &basis{digest: journal.Digest(lists, excepted), status: status, from: latest.Add(-list.Skew), now: set.now, stale: set.stale, old: set.old, unsaved: unsaved}
	snap.clean = Result{Level: set.opts.Table.Level(0), ScoringVersion: set.opts.Table.Version(), basis: snap.basis}
	return snap
}

// require sets notLoaded, due and newest.
func (snap *snapshot) require() {
	var missing []string
	limit := func(t time.Time, age time.Duration) {
		if due := t.Add(age); age > 0 && (snap.due.IsZero() || due.Before(snap.due)) {
			snap.due = due // long ago, if t is not known
		}
	}
	for i := range snap.held {
		h := &snap.held[i]
		if !snap.required[i] {
			continue
		}
		if !h.isLoaded() {
			reason := snap.infos[i].ID
			if h.damaged != nil {
				reason += fmt.Sprintf(" (list %d, the newest one, cannot be opened)", h.later.N)
			}
			missing = append(missing, reason)
			continue
		}
		if snap.infos[i].Final { // it has no age
			continue
		}
		published := h.held.Revision.Published
		if isAhead(published, h.held.Accepted) {
			published = time.Time{}
		}
		limit(published, snap.opts.MaxPublished[snap.infos[i].ID])
		limit(h.checked, snap.opts.MaxAge)
		if snap.opts.MaxAge > 0 && h.checked.After(snap.newest) {
			snap.newest = h.checked
		}
	}
	switch {
	case snap.opts.LoadOnly:
		snap.notLoaded = errLoadOnly
	case missing != nil:
		snap.notLoaded = fmt.Errorf("%w: %s", ErrNotLoaded, strings.Join(missing, ", "))
	}
}

// share makes the filter of the small lists, or uses the filter of prev.
func (snap *snapshot) share(prev *snapshot) {
	snap.filters = make([]*index.Filter, 1)
	for _, held := range snap.lists {
		if f := held.list.Index().Filter(); f != nil {
			snap.filters = append(snap.filters, f)
		} else {
			snap.small = append(snap.small, held.list.Index())
		}
	}
	if prev != nil && slices.Equal(prev.small, snap.small) {
		snap.filters[0] = prev.filters[0]
	} else {
		snap.filters[0] = index.NewFilter(snap.small...)
	}
}

// ready returns the error with which every question must be answered, or nil.
func (snap *snapshot) ready() error {
	if snap.notLoaded != nil {
		return snap.notLoaded
	}
	if !snap.due.IsZero() && snap.isStale() {
		return ErrStale
	}
	return nil
}

// isStale reports whether a required list is too old.
func (snap *snapshot) isStale() bool {
	now := snap.basis.now()
	return now.After(snap.due) || isFuture(snap.newest, now)
}

// answerAs lets snap answer as of an instant of the past.
func (snap *snapshot) answerAs(at time.Time) {
	snap.basis.now, snap.basis.from = func() time.Time { return at }, time.Time{}
}

// ageless returns snap as it answers however old the lists are.
func (snap *snapshot) ageless() *snapshot {
	is := *snap
	is.due = time.Time{}
	return &is
}

// screen sets r, which is zero, to the answer about a. It does not return r, because a
// Result is so large that copying it takes as long as the look-up.
func (snap *snapshot) screen(r *Result, a address.Address) error {
	err := snap.screenSure(r, a)
	if d := a.Doubt(); d != "" && err == nil {
		r.Doubts = []address.Doubt{d}
	}
	return err
}

// screenSure is screen without the doubt of the address itself, for callers who know it.
func (snap *snapshot) screenSure(r *Result, a address.Address) error {
	words, tag := a.Identity()
	if err := snap.ready(); err != nil {
		return err
	}
	if tag == (identity.Tag{}) {
		return errZeroAddress
	}
	*r = snap.clean
	r.Address = a
	if identity.HasMore(tag) && (snap.scripts || !identity.HasOnlyScripts(tag)) { // several keys, or what follows from them
		snap.findAll(r)
		snap.finish(r)
		return nil
	}
	snap.lookUp(r, words, tag)
	return nil
}

// screenEVM is screenText for the text that most questions have. It reports false for others,
// and if there are no answers, and leaves r unchanged.
func (snap *snapshot) screenEVM(r *Result, c address.Chain, text string) bool {
	if snap.ready() != nil {
		return false
	}
	words, tag := r.Address.ParseEVM(c, text)
	if tag == (identity.Tag{}) {
		return false
	}
	r.Level, r.ScoringVersion, r.basis = snap.clean.Level, snap.clean.ScoringVersion, snap.basis // not all of snap.clean, which takes longer
	snap.lookUp(r, words, tag)
	return true
}

// lookUp looks up the only key of the address of r, which has the given identity, and adds what
// it finds to r.
func (snap *snapshot) lookUp(r *Result, words identity.Words, tag identity.Tag) {
	class, n := identity.Key(tag), identity.Len(tag)
	if class == 0 {
		class = identity.Account(tag)
	}
	if h := index.Hash(class, words, n); snap.mayHave(h) {
		k, account := index.MakeID(class, words, n), index.MakeID(identity.Account(tag), words, n)
		snap.find(r, h, &k, &account)
		snap.finish(r)
	}
}

// mayHave reports false if no list has a key with the hash h, as nearly always.
func (snap *snapshot) mayHave(h uint64) bool {
	for _, f := range snap.filters {
		if f.MayHave(h) {
			return true
		}
	}
	return false
}

// screenText sets r, which is zero, to the answer about a text on chain c.
func (snap *snapshot) screenText(r *Result, c address.Chain, text string) error {
	if snap.screenEVM(r, c, text) {
		return nil
	}
	a, err := address.Parse(c, text)
	switch {
	case err != nil || a.Doubt() != "" || isPadded(text):
		return snap.screenReading(r, text, readOn(c, text, err))
	case a.Normalized() == text:
		return snap.screenSure(r, a)
	}
	literal := snap.literal(text)
	return snap.screenSpelled(r, a, &literal)
}

// isPadded reports whether text is an EVM address in 64 digits.
func isPadded(text string) bool {
	return len(text) == 66 && strings.HasPrefix(text, "0x000000") && len(address.FindAll(text)) > 0
}

// finish sorts what was found about r, and sets what follows from it.
func (snap *snapshot) finish(r *Result) {
	r.Labels = sortLabels(r.Labels, snap.rank)
	r.Formerly = sortFormer(r.Formerly, r.Labels)
	if r.Labels != nil && snap.exceptions != nil {
		r.Labels, r.Suppressed = snap.exceptions.split(r.Address.Account(), r.Labels, snap.basis.now())
	}
	if len(r.Labels) > 0 {
		r.Score = r.Labels[0].Points
		r.Level = snap.opts.Table.Level(r.Score)
	}
}

// findAll adds to r what the lists say of its address.
func (snap *snapshot) findAll(r *Result) {
	var buf [list.MaxProbes]index.ID
	keys := list.AppendProbes(buf[:0], r.Address)
	for i := range keys {
		if h := keys[i].Hash(); snap.mayHave(h) {
			account := list.KeyOf(r.Address.Account())
			snap.find(r, h, &keys[i], &account)
		}
	}
}

// find adds to r the matches of the key k with the hash h. k is a key of the address of r, and account is
// the key of its account; without an account, it is the key of a text.
func (snap *snapshot) find(r *Result, h uint64, k, account *index.ID) {
	for i := range snap.lists {
		snap.lists[i].addMatches(r, snap.opts.Table, h, k, account)
	}
}

// literal returns what the lists say of the very string text, to be finished.
func (snap *snapshot) literal(text string) Result {
	r := snap.clean
	k := list.TextKey(text)
	if h := k.Hash(); snap.mayHave(h) {
		snap.find(&r, h, &k, nil)
	}
	return r
}

// isEmpty reports whether the lists say nothing.
func (r *Result) isEmpty() bool { return r.Labels == nil && r.Formerly == nil }
