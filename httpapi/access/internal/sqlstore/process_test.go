package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/walletscreen/walletscreen/httpapi/access/internal/sqlstore"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// The number of screenings that the processes lease together, and in one call.
const (
	leaseSize = 7 // does not divide the limit
	processes = 4
)

var limit = int64(longtest.N(1000, 5000))

var month = time.Now().UTC().Year()*12 + int(time.Now().UTC().Month()) - 1

// TestMain is also the main function of the processes that a test starts: those with a
// database in their environment.
func TestMain(m *testing.M) {
	name := os.Getenv("SQLSTORE_TEST_DATABASE")
	if name == "" {
		os.Exit(m.Run())
	}
	for _, d := range databases {
		if d.name == name {
			if err := leaseAll(d, os.Getenv("SQLSTORE_TEST_AT")); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}

// leaseAll leases until nothing is left, and writes down what it was granted, or -1
// if the others have left it no turn, which may be granted or not.
func leaseAll(d database, at string) error {
	ctx := context.Background()
	s, err := d.open(ctx, at)
	if err != nil {
		return err
	}
	for {
		granted, _, _, err := s.Lease(ctx, "shared", month, leaseSize, limit)
		if isStarved(err) {
			granted = -1
		} else if err != nil {
			return err
		}
		if _, err := fmt.Println(granted); err != nil {
			return err
		}
		if granted == 0 {
			return s.Close()
		}
	}
}

// isStarved reports whether err means that a call timed out while others had locked the
// database: SQLite has no queue, and on a slow disk one process may hold the lock for
// long.
func isStarved(err error) bool {
	var said *driver.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &said) && said.Code()&0xff == codes.SQLITE_BUSY
}

// TestProcesses starts processes that lease concurrently from an empty database, and
// kills some of them.
func TestProcesses(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		for _, killed := range []int{0, processes - 1} {
			t.Run(fmt.Sprintf("killed=%d", killed), func(t *testing.T) {
				at := d.new(t)
				var granted, starved atomic.Int64
				var wg sync.WaitGroup
				for i := range processes {
					cmd := exec.Command(os.Args[0])
					cmd.Env = append(os.Environ(), "SQLSTORE_TEST_DATABASE="+d.name, "SQLSTORE_TEST_AT="+at)
					cmd.Stderr = t.Output()
					stdout, err := cmd.StdoutPipe()
					if err != nil {
						t.Fatal(err)
					}
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					wg.Go(func() {
						// Everything that it wrote before it was killed is here.
						for lines := bufio.NewScanner(stdout); lines.Scan(); {
							n, err := strconv.Atoi(lines.Text())
							if err != nil {
								t.Error(err)
							}
							if n < 0 {
								starved.Add(1)
								continue
							}
							if granted.Add(int64(n)); i < killed && granted.Load() > limit/processes*int64(i) {
								cmd.Process.Kill() // as kill -9
							}
						}
						if err := cmd.Wait(); err != nil && i >= killed {
							t.Errorf("a process ended with %v", err)
						}
					})
				}
				wg.Wait()
				leased, err := d.must(t, at).Leased(t.Context(), "shared", month)
				if err != nil {
					t.Fatal(err)
				}
				lost := (int64(killed) + starved.Load()) * leaseSize
				if leased != limit || granted.Load() > leased || granted.Load() < leased-lost {
					t.Errorf("leased is %d, and granted %d; want %d, and at most %d less", leased, granted.Load(), limit, lost)
				}
			})
		}
	})
}

// TestKilledDatabase repeatedly kills the database server while replicas lease.
func TestKilledDatabase(t *testing.T) {
	const workers = 4
	crashes := int64(longtest.N(1, 3))
	server := postgrestest.Start(t)
	s, err := stores(postgres.Open)(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var granted, failed atomic.Int64
	crash := make(chan bool)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				n, _, _, err := s.Lease(t.Context(), "shared", month, leaseSize, limit)
				switch {
				case err != nil: // it may have been leased or not
					failed.Add(1)
					if t.Context().Err() != nil {
						return
					}
					continue
				case n == 0:
					return
				}
				if before := granted.Add(n) - n; before/(limit/(crashes+1)) != (before+n)/(limit/(crashes+1)) {
					select {
					case crash <- true:
					case <-t.Context().Done():
					}
				}
			}
		})
	}
	for range crashes {
		<-crash
		server.Kill(t)
		if err := server.Launch(); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		for range crash { // the last one is at the limit
		}
	}()
	wg.Wait()
	close(crash)
	leased, err := s.Leased(t.Context(), "shared", month)
	if err != nil {
		t.Fatal(err)
	}
	if lost := leased - granted.Load(); leased != limit || lost < 0 || lost > failed.Load()*leaseSize {
		t.Errorf("leased is %d, and granted %d after %d errors; want %d, and at most %d less for each error",
			leased, granted.Load(), failed.Load(), limit, leaseSize)
	}
	t.Logf("%d crashes: %d errors, %d lost", crashes, failed.Load(), leased-granted.Load())
}

// TestOpenAtOnce opens an empty database from several replicas at the same time: one
// creates the tables, and all work.
func TestOpenAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		at := d.new(t)
		var wg sync.WaitGroup
		stores := make([]*sqlstore.Store, 16)
		for i := range stores {
			wg.Go(func() {
				s, err := d.open(t.Context(), at)
				if err != nil {
					t.Error(err)
					return
				}
				stores[i] = s
				if _, _, _, err := s.Lease(t.Context(), "shared", month, 1, limit); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, s := range stores {
			if s == nil {
				continue
			}
			if n, err := s.Leased(t.Context(), "shared", month); err != nil || n != int64(len(stores)) {
				t.Errorf("leased is %d, %v, want %d", n, err, len(stores))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
