package screening_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A hub is what the Stores of one database have in common.
type hub struct {
	mu     sync.Mutex
	grown  chan struct{}            // closed when the journal grows
	leader map[string]*replicaStore // by source
}

// A replicaStore is a Store that replicas share, with the files of another one.
type replicaStore struct {
	faultyStore
	*hub
	down, lead error // of Wait, and of Lead
}

// newHub returns a function that opens a Store of the same hub.
func newHub(t *testing.T, dir string) func() *replicaStore {
	h := &hub{grown: make(chan struct{}), leader: make(map[string]*replicaStore)}
	return func() *replicaStore { return &replicaStore{faultyStore: faultyStore{Store: openStore(t, dir)}, hub: h} }
}

func (r *replicaStore) Append(ctx context.Context, number uint64, line []byte) error {
	if err := r.faultyStore.Append(ctx, number, line); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.grown)
	r.grown = make(chan struct{})
	return nil
}

func (r *replicaStore) Wait(ctx context.Context, last uint64) (uint64, error) {
	for {
		r.mu.Lock()
		down, grown := r.down, r.grown
		r.mu.Unlock()
		if down != nil {
			return last, down
		}
		end := uint64(0)
		err := r.Read(ctx, 0, func(b []byte) error {
			if l, ok := line.Parse(b); ok {
				end = l.Seq
			}
			return nil
		})
		if err != nil || end != last {
			return end, err
		}
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-grown:
		}
	}
}

func (r *replicaStore) Lead(_ context.Context, source string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := cmp.Or(r.down, r.lead); err != nil {
		return false, err
	}
	if r.leader[source] == nil {
		r.leader[source] = r
	}
	return r.leader[source] == r, nil
}

func (r *replicaStore) Resign(_ context.Context, source string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leader[source] == r {
		delete(r.leader, source)
	}
	return r.down
}

// end ends the lead of r, as if its program were killed.
func (r *replicaStore) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.leader, func(_ string, leader *replicaStore) bool { return leader == r })
}

func (r *replicaStore) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = err
	r.list, r.put, r.open, r.append = err, err, err, err
}

// failList makes Names fail, while the rest works.
func (r *replicaStore) failList(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = err
}

func (r *replicaStore) Names(ctx context.Context) ([]string, error) {
	r.mu.Lock()
	err := r.list
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return r.Store.Names(ctx)
}

// A republished source counts its loads, and may be given another load at any time.
type republished struct {
	flaky
	mu    sync.Mutex
	loads int
}

func (c *republished) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loads++
	return c.flaky.Load(ctx, prev, add)
}

// publish makes load the next load.
func (c *republished) publish(load func(sources.Revision, func(sources.Entry) error) (sources.Revision, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.load = load
}

func (c *republished) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loads
}

// start calls f in the background until the returned function is called.
func start(f func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); f(ctx) }()
	return func() { cancel(); <-ended }
}

// hourly returns the Run of s.
func hourly(s *screening.Screener) func(context.Context) error {
	return func(ctx context.Context) error { return s.Run(ctx, time.Hour) }
}

// TestReplicas follows three replicas of one store: one loads the list, the others read
// it from the store, one of them without a source that works, and the second leads when the first
// ends.
func TestReplicas(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		open := newHub(t, dir)
		var all []*screening.Screener
		var stores []*replicaStore
		var srcs []*republished
		var stops []func()
		last := make(chan screening.Report, 100) // of the third
		publish := func(load func(sources.Revision, func(sources.Entry) error) (sources.Revision, error)) {
			for _, src := range srcs {
				src.publish(load)
			}
		}
		for i := range 3 {
			st, src := open(), &republished{flaky: flaky{ofac, numbered(1, 1, 2, 3)}}
			srcs = append(srcs, src)
			s := newScreener(t, &screening.Options{Store: st, MaxAge: 2 * time.Hour, Report: func(r screening.Report) {
				if i == 2 {
					last <- r
				}
			}}, src)
			run := hourly(s)
			if i == 2 {
				run = s.Follow
			}
			all, stores, stops = append(all, s), append(stores, st), append(stops, start(run))
			time.Sleep(100 * time.Millisecond) // the first leads
		}
		check := func(what string, digest, from int, added time.Time) {
			t.Helper()
			synctest.Wait()
			for i, s := range all[from:] {
				st := s.Sources()[0]
				if st.Digest != digestOf(digest) || st.Err != nil || st.StoreErr != nil {
					t.Errorf("%s: replica %d has %+v, want %s", what, from+i, st, digestOf(digest))
				}
				if s.Digest() != all[len(all)-1].Digest() {
					t.Errorf("%s: replica %d has another digest than the last", what, from+i)
				}
				if got := addedAt(t, s, 3); !got.Equal(added) {
					t.Errorf("%s: replica %d says that entry 3 was added at %v, want %v", what, from+i, got, added)
				}
			}
		}
		begin := all[0].Sources()[0].Accepted
		check("at first", 1, 0, begin)
		if srcs[0].count() != 1 || srcs[1].count() != 0 || srcs[2].count() != 0 {
			t.Errorf("the replicas have loaded the list %d, %d and %d times, want the first only", srcs[0].count(), srcs[1].count(), srcs[2].count())
		}

		publish(numbered(2, 2, 3, 4))
		time.Sleep(time.Hour)
		check("after an hour", 2, 0, begin)
		var r screening.Report
		for len(last) > 0 {
			r = <-last
		}
		if _, after, err := r.Compare(listing(2).Address); len(r.Sources) != 1 || err != nil || after.Digest() != all[2].Digest() {
			t.Errorf("the last report of a follower is %+v, %v", r, err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		first := all[0].Sources()[0]
		for i, s := range all {
			if st := s.Sources()[0]; st.LastUpdated != first.LastUpdated || time.Since(st.LastUpdated) > time.Second {
				t.Errorf("replica %d was last updated %v ago, want now", i, time.Since(st.LastUpdated))
			}
		}

		// The first is killed: the second leads, and loads at once.
		stops[0]()
		stores[0].end()
		publish(numbered(3, 3, 4, 5))
		time.Sleep(10 * time.Second)
		check("after the first was killed", 3, 1, begin)
		if srcs[1].count() != 1 || srcs[2].count() != 0 {
			t.Errorf("the second has loaded the list %d times, and the third %d; want once, and not", srcs[1].count(), srcs[2].count())
		}

		// The second is killed: no replica leads, and the lists become too old.
		stops[1]()
		stores[1].end()
		time.Sleep(2 * time.Hour)
		if _, err := all[2].ScreenText("ethereum", clean); !errors.Is(err, screening.ErrStale) {
			t.Errorf("without a leader for two hours: %v, want ErrStale", err)
		}
		stops[2]()
		if err := all[2].Follow(canceled()); !errors.Is(err, context.Canceled) {
			t.Errorf("Follow: %v, want that of its context", err)
		}
	})
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

// TestReplicasTogether starts eight replicas at once on an empty store. They have a seed.
func TestReplicasTogether(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		open := newHub(t, dir)
		seed := sources.Static(ofac, sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned})
		var all []*screening.Screener
		var stops []func()
		for range 8 {
			live := &flaky{ofac, down}
			s := newScreener(t, &screening.Options{Store: open()}, sources.Seeded(live, seed))
			all, stops = append(all, s), append(stops, start(hourly(s)))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		r, err := all[0].ScreenText("ethereum", lazarus)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all {
			got, err := s.ScreenText("ethereum", lazarus)
			if err != nil || got.Digest() != r.Digest() || fmt.Sprint(got.Labels) != fmt.Sprint(r.Labels) {
				t.Errorf("replica %d: %+v, %v, want %+v; %v", i, got, err, r, s.Sources()[0].StoreErr)
			}
		}
		accepted := 0
		for _, l := range linesOf(t, open()) {
			if l.Type == journal.Accepted {
				accepted++
			}
		}
		if accepted != 1 {
			t.Errorf("%d lists were accepted, want one", accepted)
		}
		for _, stop := range stops {
			stop()
		}
	})
}

// TestReplicasUnreached uses publishers that only some replicas reach, or none.
func TestReplicasUnreached(t *testing.T) {
	dir := t.TempDir()
	hours, day := longtest.N(3, 10), longtest.N(6, 24)
	synctest.Test(t, func(t *testing.T) {
		open := newHub(t, dir)
		europe := sources.Info{ID: "EU_CONSOLIDATED", Name: "EU", Jurisdiction: sources.EU}
		var all []*screening.Screener
		var us, eu []*republished // of each replica
		for i := range 4 {
			us = append(us, &republished{flaky: flaky{ofac, numbered(1, 1)}})
			eu = append(eu, &republished{flaky: flaky{europe, down}})
			if i == 2 {
				eu[i].publish(numbered(2, 2))
			}
			s := newScreener(t, &screening.Options{Store: open(), MaxAge: 2 * time.Hour}, us[i], eu[i])
			all = append(all, s)
			defer start(hourly(s))()
			time.Sleep(100 * time.Millisecond)
		}
		counts := func(srcs []*republished) (n []int) {
			for _, src := range srcs {
				n = append(n, src.count())
			}
			return n
		}
		check := func(what string, want int) {
			t.Helper()
			synctest.Wait()
			for i, s := range all {
				for _, st := range s.Sources() {
					if st.Err != nil || time.Since(st.LastUpdated) > 2*time.Hour {
						t.Errorf("%s: replica %d has %+v", what, i, st)
					}
				}
				if st := s.Sources()[1]; st.Digest != digestOf(want) {
					t.Errorf("%s: replica %d has %s of the EU, want %s", what, i, st.Digest, digestOf(want))
				}
			}
		}

		// One replica reaches the EU. It leads that source only, and keeps the lead.
		time.Sleep(10 * time.Second)
		check("when one replica reaches it", 2)
		time.Sleep(time.Duration(hours) * time.Hour)
		check("hours later", 2)
		if got := counts(us); got[0] < hours || got[1]+got[2]+got[3] != 0 {
			t.Errorf("the replicas have loaded a list that all of them reach %d times, want the first only", got)
		}
		if got := counts(eu); got[2] < hours || got[0] > 1 || got[1] > 1 || got[3] > 1 {
			t.Errorf("the replicas have asked for a list that one of them reaches %d times, want once, and the one more often", got)
		}

		// While no replica reaches it, each asks less and less often.
		before := counts(eu)
		eu[2].publish(down)
		time.Sleep(time.Duration(day) * time.Hour)
		for i, n := range counts(eu) {
			if n -= before[i]; n < day || n > day+8 {
				t.Errorf("replica %d has asked %d times in %d hours in which no replica reaches the list, want about once an hour", i, n, day)
			}
		}
		if _, err := all[0].ScreenText("ethereum", clean); !errors.Is(err, screening.ErrStale) {
			t.Errorf("after %d hours without the list: %v, want ErrStale", day, err)
		}

		// Another one reaches it, and leads from then on.
		eu[3].publish(numbered(3, 3))
		time.Sleep(time.Hour + time.Minute)
		check("when another replica reaches it", 3)
		before = counts(eu)
		time.Sleep(time.Duration(hours) * time.Hour)
		check("after hours more", 3)
		if got := counts(eu); got[0] != before[0] || got[1] != before[1] || got[2] != before[2] {
			t.Errorf("the replicas have asked %d times after %d, want the last only", got, before)
		}
	})
}

// TestReplicaStoreFails uses a shared store that fails: no list is answered from that the
// store does not have, and nothing is missed when it is back.
func TestReplicaStoreFails(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		open := newHub(t, dir)
		stores := []*replicaStore{open(), open()}
		src := &republished{flaky: flaky{ofac, numbered(1, 1)}}
		var all []*screening.Screener
		for _, st := range stores {
			s := newScreener(t, &screening.Options{Store: st}, src)
			all = append(all, s)
			defer start(hourly(s))()
			time.Sleep(time.Second)
		}
		digests := func(what string, want ...int) {
			t.Helper()
			synctest.Wait()
			for i, s := range all {
				if st := s.Sources()[0]; st.Digest != digestOf(want[i]) {
					t.Errorf("%s: replica %d has the list %s, want %s", what, i, st.Digest, digestOf(want[i]))
				}
			}
		}
		digests("at first", 1, 1)

		// The leader can load, but not save.
		src.publish(numbered(2, 1, 2))
		stores[0].put = errDown
		if _, err := all[0].Refresh(ctx); !errors.Is(err, errDown) {
			t.Errorf("Refresh: %v, want the error of the store", err)
		}
		digests("while nothing can be saved", 1, 1)
		if st := all[0].Sources()[0]; !errors.Is(st.Err, errDown) || !errors.Is(st.StoreErr, errDown) {
			t.Errorf("the status is %+v, want the error of the store", st)
		}
		stores[0].put = nil
		refresh(t, all[0])
		digests("when it can be saved again", 2, 2)
		if st := all[0].Sources()[0]; st.Err != nil || st.StoreErr != nil {
			t.Errorf("the status is %+v, want no error", st)
		}

		// The follower learns of a list, but cannot read it at first.
		stores[1].failList(errDown)
		time.Sleep(time.Second) // as below
		src.publish(numbered(5, 1, 5))
		refresh(t, all[0])
		digests("while the second cannot read", 5, 2)
		if st := all[1].Sources()[0]; !errors.Is(st.StoreErr, errDown) {
			t.Errorf("the status is %+v, want the error of the store", st)
		}
		stores[1].failList(nil)
		time.Sleep(2 * time.Second)
		digests("when it can", 5, 5)
		if st := all[1].Sources()[0]; st.Err != nil || st.StoreErr != nil {
			t.Errorf("the status is %+v, want no error", st)
		}

		// The store fails for the follower; meanwhile the list changes.
		stores[1].fail(errDown)
		time.Sleep(time.Second) // the journal tells revisions of one instant by the first digits of their digests
		src.publish(numbered(3, 1, 3))
		refresh(t, all[0])
		time.Sleep(time.Minute)
		digests("while the second has no store", 3, 5)
		stores[1].fail(nil)
		time.Sleep(2 * time.Second)
		digests("when it is back", 3, 3)
		if st := all[1].Sources()[0]; st.Err != nil || st.StoreErr != nil {
			t.Errorf("the status is %+v, want no error", st)
		}

		// It fails for all: no replica loads.
		for _, st := range stores {
			st.fail(errDown)
		}
		src.publish(func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
			t.Error("a list was loaded that cannot be saved")
			return sources.Revision{}, errDown
		})
		time.Sleep(3 * time.Hour)
		src.publish(numbered(4, 1, 4))
		for _, st := range stores {
			st.fail(nil)
		}
		time.Sleep(10 * time.Second)
		digests("after three hours", 4, 4)
	})
}

// TestReplicaIsBack lets the connection of a replica that follows fail for some seconds, or only the question whether it
// leads. Soon after, nothing says that the store fails, and the past is known.
func TestReplicaIsBack(t *testing.T) {
	for name, errOf := range map[string]func(*replicaStore) *error{
		"Wait": func(r *replicaStore) *error { return &r.down },
		"Lead": func(r *replicaStore) *error { return &r.lead },
	} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			open := newHub(t, dir)
			src := &republished{flaky: flaky{ofac, numbered(1, 1, 2)}}
			defer start(hourly(newScreener(t, &screening.Options{Store: open()}, src)))()
			time.Sleep(time.Second) // it leads
			st := open()
			s := newScreener(t, &screening.Options{Store: st}, src)
			defer start(hourly(s))()
			set := func(err error) {
				time.Sleep(10 * time.Second)
				st.mu.Lock()
				*errOf(st) = err
				close(st.grown) // who waits sees it
				st.grown = make(chan struct{})
				st.mu.Unlock()
				time.Sleep(10 * time.Second)
				if is := s.Sources()[0].StoreErr; !errors.Is(is, err) || err == nil && is != nil {
					t.Errorf("%s: the store is said to fail with %v, want %v", name, is, err)
				}
			}
			set(errDown)
			set(nil)
			m := momentOf(t, s)
			time.Sleep(time.Minute)
			src.publish(numbered(2, 2, 3))
			time.Sleep(time.Hour)
			past, err := screening.OpenAt(ctx, st, m.at, []sources.Source{src}, nil)
			if err != nil || momentOf(t, past).listed != m.listed {
				t.Errorf("%s: the past after the store was back: %v", name, err)
			}
		})
	}
}

// TestOvertaken loads a list while another program accepts a newer one: the newer one
// stays.
func TestOvertaken(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		open := newHub(t, dir)
		slow := &slow{info: ofac, takes: time.Minute, load: numbered(1, 1)}
		a := newScreener(t, &screening.Options{Store: open()}, slow)
		b := newScreener(t, &screening.Options{Store: open()}, &flaky{ofac, numbered(2, 2)})
		done := make(chan error)
		go func() {
			_, err := a.Refresh(ctx)
			done <- err
		}()
		time.Sleep(time.Second)
		refresh(t, b)
		if err := <-done; err != nil {
			t.Errorf("Refresh of a list that was read before: %v", err)
		}
		if st := a.Sources()[0]; st.Digest != digestOf(2) {
			t.Errorf("it holds %s, want %s", st.Digest, digestOf(2))
		}
		if names := filesOf(t, open()); len(names) != 1 {
			t.Errorf("files are %v, want one", names)
		}
	})
}

// TestUnchangedOvertaken lets another program accept a newer list while the publisher says that the older one is unchanged:
// that confirms nothing of the newer one.
func TestUnchangedOvertaken(t *testing.T) {
	at := func(days, n int) *edition {
		return &edition{entries: numberedEntries(score.Sanctioned, 0, n), rev: sources.Revision{Digest: digestOf(n), Records: n, Published: day.AddDate(-30, 0, days)}}
	}
	for _, damaged := range []bool{false, true} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			src := &flaky{info: ofac, load: at(1, 10).load}
			a := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
			refresh(t, a)
			time.Sleep(time.Hour)
			b := newScreener(t, &screening.Options{Store: openStore(t, dir)}, &flaky{info: ofac, load: at(3, 12).load})
			src.load = func(prev sources.Revision, _ func(sources.Entry) error) (sources.Revision, error) {
				refresh(t, b)
				if damaged {
					spoil(t, dir, func(n stays.Name) bool { return n.Last == 2 })
				}
				return prev, sources.ErrUnchanged
			}
			_, err := a.Refresh(ctx)
			check := func(when string, s *screening.Screener) {
				t.Helper()
				r, answered := s.Screen(listing(11).Address)
				if damaged && !errors.Is(answered, screening.ErrNotLoaded) || !damaged && (len(r.Labels) != 1 || s.Sources()[0].Digest != digestOf(12)) {
					t.Errorf("%s, damaged: %v: %+v, %v, from %s", when, damaged, r.Labels, answered, s.Sources()[0].Digest)
				}
			}
			if err == nil {
				t.Error("Refresh says that the newer list was confirmed")
			}
			check("refreshed", a)
			src.load = at(2, 11).load
			if _, err := a.Refresh(ctx); !errors.Is(err, screening.ErrOlder) {
				t.Errorf("a list between the two: %v, want ErrOlder", err)
			}
			c := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
			c.Open(ctx)
			check("started again", c)
		})
	}
}

// TestFollowWhileLoading lets another program accept a list while a source is slow: it answers within seconds, and the list that
// the source returns at last, which was read before, replaces nothing.
func TestFollowWhileLoading(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		slow := &slow{info: ofac, takes: time.Minute, load: numbered(1, 1)}
		s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, slow)
		ended, end := context.WithCancel(ctx)
		done := make(chan error)
		go func() { done <- s.Run(ended, time.Hour) }()
		time.Sleep(2 * time.Second)
		refresh(t, newScreener(t, &screening.Options{Store: openStore(t, dir)}, &flaky{ofac, numbered(2, 2)}))
		for _, wait := range []time.Duration{10 * time.Second, 2 * time.Minute} {
			time.Sleep(wait)
			if st := s.Sources()[0]; st.Digest != digestOf(2) {
				t.Errorf("%v later, it holds %q, want %s", wait, st.Digest, digestOf(2))
			}
		}
		end()
		<-done
	})
}

// TestFollowAhead starts a program on a store with a file that is ahead of its journal, which cannot be written. What the
// file adds matches until another program has accepted a list.
func TestFollowAhead(t *testing.T) {
	mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
	other := loaded(t, &screening.Options{Store: mem}, src)
	lines := slices.Clone(mem.Lines)
	src.load = numbered(2, 1, 2)
	refresh(t, other)
	mem.Lines = lines
	s := newScreener(t, &screening.Options{Store: &faultyStore{Store: mem, append: errUnreliable}}, src)
	s.Open(ctx)
	if r, err := s.Screen(listing(2).Address); !errors.Is(err, screening.ErrNotLoaded) && len(r.Labels) != 1 {
		t.Errorf("before: %+v, %v", r, err)
	}
	src.load = numbered(3, 1, 3)
	refresh(t, newScreener(t, &screening.Options{Store: mem}, src))
	s.Open(ctx)
	r := must(s.Screen(listing(2).Address))
	if len(r.Labels) != 0 || r.Digest() != must(other.Screen(listing(2).Address)).Digest() && s.Sources()[0].Digest != digestOf(3) {
		t.Errorf("after: %+v, from %+v", r, s.Sources()[0])
	}
}

// TestFollowAlone follows no store.
func TestFollowAlone(t *testing.T) {
	s := newScreener(t, nil, staticOf(nil))
	if err := s.Follow(canceled()); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("Follow: %v, want an error about the store", err)
	}
}

// A countedStore counts how often it is read.
type countedStore struct {
	store.Store
	reads atomic.Int64
}

func (c *countedStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	if c.reads.Add(1) > 10_000 {
		time.Sleep(time.Hour) // without that, the time of a test does not pass while a program is busy
	}
	return c.Store.Read(ctx, from, each)
}

// TestFollowEmpty follows a store without a line, which is only read, or cannot be written: it is looked at every few seconds.
func TestFollowEmpty(t *testing.T) {
	for what, wrap := range map[string]func(store.Store) store.Store{
		"only read":   store.ReadOnly,
		"not written": func(st store.Store) store.Store { return &faultyStore{Store: st, append: errUnreliable} },
	} {
		synctest.Test(t, func(t *testing.T) {
			counted := &countedStore{Store: new(storetest.Memory)}
			st := wrap(counted)
			stop := start(newScreener(t, &screening.Options{Store: st}, &flaky{info: ofac, load: down}).Follow)
			time.Sleep(time.Hour)
			stop()
			if n := counted.reads.Load(); n < 60 || n > 6000 {
				t.Errorf("%s: it is read %d times an hour", what, n)
			}
		})
	}
}

// TestFollowDirectory accepts a list in the directory of programs that run. They answer from it
// some seconds later, and the program that only loads it ends, for OpenAt, nothing before.
func TestFollowDirectory(t *testing.T) {
	for _, name := range []string{"Run", "Follow"} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			src := &flaky{info: ofac, load: numbered(1, 1, 2)}
			refresh(t, newScreener(t, &screening.Options{Store: openStore(t, dir)}, src))
			s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			exception := screening.Exception{Address: listing(2).Address, Reason: "license", Author: "J. Doe"}
			if err := s.SetExceptions(ctx, []screening.Exception{exception}); err != nil {
				t.Error(err)
			}
			if name == "Run" {
				go s.Run(ctx, 1000*time.Hour)
			} else {
				go s.Follow(ctx)
			}
			time.Sleep(time.Hour + time.Second)
			loader := newScreener(t, &screening.Options{Store: openStore(t, dir), LoadOnly: true}, &flaky{info: ofac, load: numbered(2, 2, 3)})
			if _, err := loader.Open(ctx); err != nil {
				t.Error(err)
			}
			refresh(t, loader)
			if _, err := loader.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrLoadOnly) {
				t.Errorf("%s: a program that only loads lists answers: %v", name, err)
			}
			imported := time.Now()
			then := func(at time.Time) bool {
				t.Helper()
				past, err := screening.OpenAt(t.Context(), openStore(t, dir), at, []sources.Source{src}, nil)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return false
				}
				r, err := past.ScreenText("ethereum", fmt.Sprintf("0x%040x", 1))
				return err == nil && len(r.Labels) == 1
			}
			if addedAt(t, s, 1).IsZero() || !then(imported.Add(-time.Second)) {
				t.Errorf("%s: what is answered from was ended by another program", name)
			}
			time.Sleep(5 * time.Second)
			if addedAt(t, s, 3).IsZero() || !addedAt(t, s, 1).IsZero() {
				t.Errorf("%s: after 5 seconds, the list that another program has accepted is not answered from", name)
			}
			if then(time.Now()) {
				t.Errorf("%s: the journal does not say that the answers have changed", name)
			}
			newScreener(t, &screening.Options{Store: openStore(t, dir), LoadOnly: true}, src).Open(ctx)
			time.Sleep(2 * time.Minute)
			past, err := screening.OpenAt(ctx, openStore(t, dir), time.Now(), []sources.Source{src}, nil)
			if err != nil || len(past.Exceptions()) != 1 {
				t.Errorf("%s: a program that only loads lists has ended the exceptions: %v", name, err)
			}
			cancel()
			synctest.Wait()
			time.Sleep(time.Hour)
			loader = newScreener(t, &screening.Options{Store: openStore(t, dir), LoadOnly: true}, &flaky{info: ofac, load: numbered(3, 1, 2, 3)})
			refresh(t, loader)
			time.Sleep(2 * time.Minute)
			if !then(time.Now()) {
				t.Errorf("%s: of a time at which no program was running, the journal does not say what the store has", name)
			}
		})
	}
}

// TestReplicaIsDeaf uses a shared store that can be read and written, but does not tell of
// changes or who leads.
func TestReplicaIsDeaf(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st := newHub(t, dir)()
		s := newScreener(t, &screening.Options{Store: st}, &republished{flaky: flaky{ofac, numbered(1, 1)}})
		defer start(hourly(s))()
		time.Sleep(time.Second)
		for _, down := range []error{errDown, nil, errDown, nil} {
			st.mu.Lock()
			st.down = down
			close(st.grown) // Wait looks again
			st.grown = make(chan struct{})
			st.mu.Unlock()
			time.Sleep(2 * time.Hour)
			if err := s.Sources()[0].StoreErr; !errors.Is(err, down) || down == nil && err != nil {
				t.Errorf("StoreErr is %v, want %v", err, down)
			}
		}
	})
}

// TestRunResigns ends the Run of the replica that leads, whose store stays open: another one loads the list.
func TestRunResigns(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		open, src := newHub(t, dir), &republished{flaky: flaky{info: ofac, load: numbered(1, 1)}}
		var all []*screening.Screener
		var stops []func()
		for range 2 {
			s := newScreener(t, &screening.Options{Store: open()}, src)
			all, stops = append(all, s), append(stops, start(hourly(s)))
			time.Sleep(time.Minute)
		}
		stops[0]()
		src.publish(numbered(2, 1, 2))
		time.Sleep(2 * time.Hour)
		if addedAt(t, all[1], 2).IsZero() {
			t.Error("no replica loads the list")
		}
		stops[1]()
	})
}

// A switchedStore can be switched off while a program uses it.
type switchedStore struct {
	store.Store
	noRead, noAppend atomic.Bool
}

func (s *switchedStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	if s.noRead.Load() {
		return errUnreliable
	}
	return s.Store.Read(ctx, from, each)
}

func (s *switchedStore) Append(ctx context.Context, number uint64, line []byte) error {
	if s.noAppend.Load() {
		return errUnreliable
	}
	return s.Store.Append(ctx, number, line)
}

// TestFollowReportsBeside follows a store whose journal has lost the line of a list, and cannot be written: the entries of its
// file match beside the list held, and a Report says so.
func TestFollowReportsBeside(t *testing.T) {
	for _, seen := range []bool{false, true} { // whether the program knew a line that was lost, which it then cannot say
		synctest.Test(t, func(t *testing.T) {
			mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
			refresh(t, newScreener(t, &screening.Options{Store: mem}, src))
			st := &switchedStore{Store: mem}
			var told atomic.Bool
			s := newScreener(t, &screening.Options{Store: st, Optional: []string{ofac.ID}, Report: func(r screening.Report) {
				if before, after, err := r.Compare(listing(2).Address); err == nil && before.Labels == nil && len(after.Labels) == 1 {
					told.Store(true)
				}
			}}, src)
			defer start(s.Follow)()
			time.Sleep(time.Hour + time.Second) // at another time than it looks at the store
			lost := len(mem.Lines)
			if seen {
				refresh(t, newScreener(t, &screening.Options{Store: mem}, src))
				time.Sleep(time.Minute)
			}
			st.noAppend.Store(true)
			st.noRead.Store(true) // for a while
			refresh(t, newScreener(t, &screening.Options{Store: mem}, &flaky{info: ofac, load: numbered(2, 1, 2)}))
			mem.Cut(len(mem.Lines) - lost)
			time.Sleep(time.Hour)
			st.noRead.Store(false)
			time.Sleep(time.Hour)
			if r := must(s.Screen(listing(2).Address)); len(r.Labels) != 1 || !told.Load() {
				t.Errorf("lines known: %v: labels %v, reported: %v", seen, r.Labels, told.Load())
			}
			if st := s.Sources()[0]; st.StoreErr == nil {
				t.Errorf("lines known: %v: no StoreErr", seen)
			}
		})
	}
}
