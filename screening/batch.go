package screening

import (
	"iter"
	"sync"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
)

// ScreenAll screens many addresses: it returns, in the order of addresses, what
// Screen returns for each. It is for whole books of addresses and lists of millions,
// where it is faster than calls of Screen: look-ups in a long list are waits for
// memory, and ScreenAll has those of many addresses under way at once. A short list is
// in the cache of the processor; there it takes as long, or somewhat longer.
//
// workers is how many goroutines screen; with 1 or less it is the caller's own. At
// any number, addresses is run by the caller's goroutine, and no goroutine is left
// when the iteration ends, be it by a break. About a hundred addresses for each worker
// are taken from addresses before the first result comes.
//
// It allocates nothing for a clean address. Each answer comes whole from one
// snapshot, but lists that are refreshed meanwhile may be new in later answers:
// [Result.Digest] tells.
func (s *Screener) ScreenAll(addresses iter.Seq[address.Address], workers int) iter.Seq2[Result, error] {
	if workers <= 1 {
		return s.screenAll(addresses)
	}
	return func(yield func(Result, error) bool) {
		// The caller fills batches, workers screen them, and the caller yields
		// them in the order in which it has filled them.
		jobs := make(chan *batch)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(jobs)
		for range workers {
			wg.Go(func() {
				for b := range jobs {
					b.screen(s)
					b.done <- struct{}{}
				}
			})
		}
		ring := make([]*batch, 2*workers)
		for i := range ring {
			ring[i] = &batch{done: make(chan struct{}, 1)}
		}
		first, filled := 0, 0 // of the batches that are under way
		next := func() bool { // yields the first of them
			b := ring[first]
			first, filled = (first+1)%len(ring), filled-1
			<-b.done
			return b.yield(yield)
		}
		b := ring[0]
		for a := range addresses {
			if b.n < batchSize {
				b.add(a)
				continue
			}
			jobs <- b
			if filled++; filled == len(ring) && !next() {
				return
			}
			b = ring[(first+filled)%len(ring)]
			b.add(a)
		}
		jobs <- b
		for filled++; filled > 0; {
			if !next() {
				return
			}
		}
	}
}

// screenAll is ScreenAll in the caller's goroutine.
func (s *Screener) screenAll(addresses iter.Seq[address.Address]) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		var b batch
		for a := range addresses {
			if b.n == batchSize {
				if b.screen(s); !b.yield(yield) {
					return
				}
			}
			b.add(a)
		}
		b.screen(s)
		b.yield(yield)
	}
}

// A batch is addresses that are screened at once, against one snapshot.
type batch struct {
	n       int               // of addresses
	results [batchSize]Result // of the addresses, as if they were clean
	snap    *snapshot         // of which the results are
	made    int               // of the results
	lookup  index.Batch
	rest    [batchSize]bool // is in others: has labels, or cannot be answered
	others  []outcome       // in the order of addresses
	done    chan struct{}   // where others screen
}

const batchSize = index.BatchSize

// An outcome is what Screen returns.
type outcome struct {
	result Result
	err    error
}

// add adds an address. It is written to where it is yielded from, long before that,
// for what was just written takes long to be copied.
func (b *batch) add(a address.Address) {
	b.results[b.n].Address = a
	b.n++
}

// screen screens all that was added. It looks up all addresses in a row, with
// nothing between the look-ups, so that the processor waits for the memory of many
// at once.
func (b *batch) screen(s *Screener) {
	snap, n := s.snap.Load(), b.n
	if snap != b.snap {
		b.snap, b.made = snap, 0
	}
	for ; b.made < n; b.made++ {
		a := b.results[b.made].Address
		b.results[b.made] = snap.clean
		b.results[b.made].Address = a
	}
	keys, rest := b.lookup.Keys[:n], b.rest[:n]
	notReady := snap.ready(s.maxAge)
	for i := range keys {
		a := b.results[i].Address
		words, tag := a.Identity()
		key := identity.Key(tag)
		if key == 0 || snap.accountsOnly {
			key = identity.Account(tag)
		}
		w0, w1, w2, w3 := identity.Load(words)
		keys[i].SetWords(uint16(key), w0, w1, w2, w3, identity.Len(tag))
		rest[i] = identity.Account(tag) == 0 || notReady != nil || identity.HasMore(tag) && !snap.accountsOnly && snap.hitAny(a)
	}
	if snap.shared > 0 {
		for i := range keys {
			if snap.filter.MayHave(keys[i]) {
				rest[i] = true // perhaps: those are few
			}
		}
	}
	for _, seg := range snap.segments[snap.shared:] {
		b.lookup.Lookup(seg.Index, rest)
	}
	b.others = b.others[:0]
	for i := range rest {
		if !rest[i] {
			continue
		}
		var o outcome
		a := b.results[i].Address
		switch {
		case notReady != nil:
			o.err = notReady
		case !a.IsValid():
			o.err = ErrZeroAddress
		default:
			var labels []Label
			if labels, o.err = snap.labels(a); o.err == nil {
				o.result = snap.result(a, labels)
			}
		}
		b.others = append(b.others, o)
	}
}

// yield yields all that was screened, and makes room for others. It reports
// whether there is to be more.
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
