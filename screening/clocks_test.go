package screening_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestClockModel lets a clock jump at random between refreshes, failures and restarts, under a
// maximum age. Then OpenAt of each instant must answer as was answered at that time, or as at a
// later visit of that instant, or be an error; and if the clock never jumped, it must answer.
func TestClockModel(t *testing.T) {
	const decade = 10 * 365 * 24 * time.Hour
	passed := []time.Duration{time.Second, time.Minute, time.Hour, 13 * time.Hour, 3 * 24 * time.Hour}
	jumped := append(passed, decade, -time.Second, -time.Minute, -time.Hour, -13*time.Hour, -decade)
	type visit struct {
		from, at time.Time // of the refresh or restart before, and of the question
		digest   string
		err      error
	}
	for seed := range uint64(longtest.N(12, 100)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		steps := jumped
		if seed%3 == 0 {
			steps = passed
		}
		c := &wallClock{time.Now().Add(-3 * decade).UTC()}
		src := &flaky{info: ofac, load: numbered(1, 1)}
		opts := &screening.Options{Store: store.Retain(openStore(t, t.TempDir()), -1), MaxAge: 12 * time.Hour}
		s := c.start(t, opts, src)
		refresh(t, s)
		var visits []visit
		for n := 2; n < 14; n++ {
			c.add(time.Second + time.Duration(n)*time.Millisecond) // a file is named by the time
			v := visit{from: c.now}
			switch rng.IntN(5) {
			case 0, 1:
				src.load = numbered(n, n)
				refresh(t, s)
			case 2:
				refresh(t, s)
			case 3:
				loads := src.load
				src.load = down
				s.Refresh(ctx)
				src.load = loads
			case 4:
				s = c.start(t, opts, src)
				s.Open(ctx)
				loads := src.load
				src.load = down
				s.Refresh(ctx)
				src.load = loads
			}
			c.add(time.Second)
			v.at, v.digest = c.now, s.Digest()
			_, v.err = s.ScreenText("ethereum", clean)
			visits = append(visits, v)
			c.add(steps[rng.IntN(len(steps))])
		}
		refresh(t, s)
		visits = append(visits, visit{from: c.now, at: c.now, digest: s.Digest()})
		for i, v := range visits {
			past, err := screening.OpenAt(ctx, opts.Store, v.at, []sources.Source{src}, opts)
			if errors.Is(err, store.ErrGap) && seed%3 != 0 {
				continue // at the end, the clock is behind the journal
			}
			if err != nil {
				t.Errorf("seed %d, question %d at %v: %v", seed, i, v.at, err)
				continue
			}
			r, err := past.ScreenText("ethereum", clean)
			// Whether the list was too old then is known exactly only if the clock never jumped: the
			// program that answered forgets a check of the future, and the journal has the ones before.
			isStale := errors.Is(err, screening.ErrStale)
			isSame := errors.Is(err, v.err) && (err == nil) == (v.err == nil) && (err != nil || r.Digest() == v.digest)
			isLike := seed%3 != 0 && (isStale || err == nil && r.Digest() == v.digest)
			isLater := func(w visit) bool { return !w.from.After(v.at) && (isStale || err == nil && r.Digest() == w.digest) }
			if !isSame && !isLike && !slices.ContainsFunc(visits[i+1:], isLater) {
				t.Errorf("seed %d, question %d at %v: %v, %s; the answer was %v, %s", seed, i, v.at, err, r.Digest(), v.err, v.digest)
			}
		}
	}
}
