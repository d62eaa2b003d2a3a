package audit_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestModel records while writes and flushes fail at random, by several callers, over several starts. Each record
// that was accepted must be in the trail once, and no other one. The trail must be as it was written.
func TestModel(t *testing.T) {
	for seed := range uint64(longtest.N(8, 200)) {
		dir, r := t.TempDir(), rand.New(rand.NewPCG(seed, 1))
		accepted, refused := map[string]bool{}, map[string]bool{}
		durable := r.IntN(2) == 0
		for start := range 3 {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Duration(start) * time.Hour)
				var bad atomic.Int64 // of 100 calls
				fails := func() bool { return rand.Int64N(100) < bad.Load() }
				s := newScreener(t)
				l := open(t, dir, &audit.Options{Durable: durable})
				l.Limit(2000+r.Int64N(20000), 1+r.IntN(20), time.Minute)
				l.Fail(func(f *os.File, text []byte, at int64) (int, error) {
					if fails() {
						n, _ := f.WriteAt(text[:rand.IntN(len(text))], at)
						return n, errDisk
					}
					return f.WriteAt(text, at)
				}, func(f *os.File) error {
					if fails() {
						return errDisk
					}
					return nil
				})
				stop := run(l)
				var mu sync.Mutex
				var all sync.WaitGroup
				for caller := range 4 {
					all.Go(func() {
						for n := range 20 {
							time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
							some := make([]httpapi.Screening, 1+rand.IntN(5))
							for i := range some {
								some[i] = newScreening(t, s, fmt.Sprintf("%d-%d-%d-%d", start, caller, n, i))
							}
							err := l.Record(t.Context(), some...)
							mu.Lock()
							for i := range some {
								if err == nil {
									accepted[some[i].RequestID] = true
								} else if refused[some[i].RequestID] = true; !errors.Is(err, errDisk) {
									t.Error(err)
								}
							}
							mu.Unlock()
							bad.Store(int64(max(0, rand.IntN(60)-30)))
						}
					})
				}
				all.Wait()
				bad.Store(0)
				time.Sleep(5 * time.Second)
				if err := stop(); err != nil {
					t.Error(err)
				}
				if queued, _, n := l.Stats(); queued != 0 || l.Err() != nil || start == 0 && int(n) != len(refused) {
					t.Errorf("seed %d: %d queued, %d refused of %d: %v", seed, queued, n, len(refused), l.Err())
				}
			})
		}
		got := requests(read(t, dir))
		for id := range accepted {
			if got[id] != 1 {
				t.Errorf("seed %d, durable %v: %s was accepted, and is there %d times", seed, durable, id, got[id])
			}
		}
		for id := range refused {
			if got[id] > 0 {
				t.Errorf("seed %d, durable %v: %s was refused, and is there %d times", seed, durable, id, got[id])
			}
		}
		intact(t, dir)
	}
}
