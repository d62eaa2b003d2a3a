package screening

import (
	"iter"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// screenAll is [Screener.ScreenAll] of the snapshots that load returns.
func screenAll(load func() *snapshot, addresses iter.Seq[address.Address]) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		var b batch
		for a := range addresses {
			if b.n == batchSize {
				if b.screen(load()); !b.yield(yield) {
					return
				}
			}
			b.add(a)
		}
		b.screen(load())
		b.yield(yield)
	}
}

// A batch is a group of addresses that are screened against one snapshot.
type batch struct {
	n       int               // the number of addresses
	results [batchSize]Result // results for clean addresses
	snap    *snapshot         // the snapshot of the results
	made    int               // how many results are ready
	tags    [batchSize]identity.Tag
	lookup  index.Batch     // with the keys
	rest    [batchSize]bool // whether the outcome is in others: labels or an error
	others  []outcome       // in the order of the addresses
}

const batchSize = index.BatchSize

// An outcome holds the results of Screen.
type outcome struct {
	result Result
	err    error
}

// add adds an address. It writes to the Result that is yielded later, because a copy of
// what was just written stalls.
func (b *batch) add(a address.Address) {
	words, tag := a.Identity()
	key := identity.Key(tag)
	if key == 0 {
		key = identity.Account(tag)
	}
	w0, w1, w2, w3 := identity.Load(words)
	b.results[b.n].Address, b.tags[b.n] = a, tag
	b.lookup.Keys[b.n].SetWords(uint16(key), w0, w1, w2, w3, identity.Len(tag))
	b.n++
}

// screen screens all addresses that were added. It looks them up in a tight loop, so
// that the processor waits for the memory of many look-ups at once.
func (b *batch) screen(snap *snapshot) {
	n := b.n
	if snap != b.snap {
		b.snap, b.made = snap, 0
	}
	for ; b.made < n; b.made++ {
		a := b.results[b.made].Address
		b.results[b.made] = snap.clean
		b.results[b.made].Address = a
	}
	keys, rest := b.lookup.Keys[:n], b.rest[:n]
	notReady := snap.ready() != nil
	for i, tag := range b.tags[:n] {
		rest[i] = identity.Account(tag) == 0 || notReady || b.results[i].Address.Doubt() != "" || snap.hasSeveral(tag) && (snap.mapped || snap.hasAny(b.results[i].Address))
	}
	if snap.shared > 0 {
		for i := range keys {
			if snap.filter.MayHave(keys[i]) {
				rest[i] = true // a few of these are clean
			}
		}
	}
	lookUp := func() error {
		for _, seg := range snap.segments[snap.shared:] {
			b.lookup.Lookup(seg.Index, rest)
		}
		return nil
	}
	if !snap.mapped {
		lookUp()
	} else if mapfile.Guard(lookUp) != nil {
		for i := range rest {
			rest[i] = true // one by one, each has its error
		}
	}
	b.others = b.others[:0]
	for i := range rest {
		if !rest[i] {
			continue
		}
		var o outcome
		o.err = snap.screen(&o.result, b.results[i].Address)
		b.others = append(b.others, o)
	}
}

// yield yields all results and empties b. It reports whether the caller wants more.
func (b *batch) yield(yield func(Result, error) bool) bool {
	n, k := b.n, 0
	b.n = 0
	for i := range n {
		if b.rest[i] {
			o := &b.others[k]
			if k++; !yield(o.result, o.err) {
				return false
			}
			continue
		}
		if !yield(b.results[i], nil) {
			return false
		}
	}
	return true
}
