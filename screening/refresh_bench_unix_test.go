//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package screening_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A bulky source lists EVM addresses. Each load after the first replaces some of them.
type bulky struct {
	text    []string
	named   bool // each entry has a name and a reference of its own
	changes int  // in each load
	load    int
}

func (s *bulky) Info() sources.Info { return ofac }

func (s *bulky) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	other := randomEVM(s.changes, uint64(1000+s.load))
	every := len(s.text)
	if s.changes > 0 && s.load > 0 {
		every = len(s.text) / s.changes
	}
	for i, text := range s.text {
		if s.load > 0 && i%every == every-1 && i/every < len(other) {
			text = other[i/every]
		}
		a, err := address.Parse("ethereum", text)
		if err != nil {
			return sources.Revision{}, err
		}
		e := sources.Entry{Address: a, Kind: score.Sanctioned, ListedAt: day}
		if s.named {
			n := strconv.Itoa(i)
			e.Name, e.Ref = "the party with the number "+n, "https://example.com/"+n
		}
		if err := add(e); err != nil {
			return sources.Revision{}, err
		}
	}
	if s.changes > 0 {
		s.load++
	}
	return sources.Revision{Digest: digestOf(1 + s.load), Records: len(s.text)}, nil
}

// processorTime returns the time for which this process has used processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRefresh measures the processor time of a refresh for each entry, with a store in
// a directory:
//
//   - floor: what no refresh can do without: parse, hash, sort and write each entry;
//   - first: the first load of a list;
//   - changed: a load in which one entry in a thousand is another;
//   - unchanged: a load of the same entries from a source that does not know that;
//   - named: the first load of a list whose entries have names and references of their own.
func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var all []string
			text := func() []string {
				if all == nil {
					all = randomEVM(n, 1)
				}
				return all
			}
			measure := func(b *testing.B, prepare func() func() error) {
				b.StopTimer()
				text()
				used := time.Duration(0)
				for range b.N {
					do := prepare()
					start := processorTime(b)
					b.StartTimer()
					if err := do(); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					used += processorTime(b) - start
				}
				b.ReportMetric(float64(used)/float64(b.N)/float64(n), "cpu-ns/entry")
				b.ReportMetric(0, "ns/op")
			}
			b.Run("floor", func(b *testing.B) {
				measure(b, func() func() error { return func() error { return floor(b, text()) } })
			})
			refresh := func(s *screening.Screener) func() error {
				return func() error {
					r, err := s.Refresh(b.Context())
					if err == nil && r.Sources[0].StoreErr != nil {
						err = r.Sources[0].StoreErr
					}
					return err
				}
			}
			first := func(b *testing.B, named bool, changes int) *screening.Screener {
				return newScreener(b, &screening.Options{Store: openStore(b, b.TempDir())},
					&bulky{text: text(), named: named, changes: changes})
			}
			b.Run("first", func(b *testing.B) {
				measure(b, func() func() error { return refresh(first(b, false, 0)) })
			})
			again := func(b *testing.B, changes int) {
				text()
				s := first(b, false, changes)
				if err := refresh(s)(); err != nil {
					b.Fatal(err)
				}
				measure(b, func() func() error { return refresh(s) })
			}
			b.Run("changed", func(b *testing.B) { again(b, n/1000) })
			b.Run("unchanged", func(b *testing.B) { again(b, 0) })
			b.Run("named", func(b *testing.B) {
				measure(b, func() func() error { return refresh(first(b, true, 0)) })
			})
		})
	}
}

// floor parses, hashes, sorts and writes addresses.
func floor(b *testing.B, text []string) error {
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	hashes := make([]uint64, 0, len(text))
	said := make([]byte, 0, 128)
	for _, t := range text {
		a, err := address.Parse("ethereum", t)
		if err != nil {
			return err
		}
		said = append(append(append(said[:0], "SANCTIONED ethereum "...), a.Normalized()...), t...)
		sum := sha256.Sum256(said)
		hashes = append(
			hashes,
			uint64(sum[0])<<56|uint64(sum[1])<<48|uint64(sum[2])<<40|uint64(sum[3])<<32|uint64(sum[4])<<24|uint64(sum[5])<<16|uint64(sum[6])<<8|uint64(sum[7]),
		)
		w.Write(said[:50])
	}
	slices.Sort(hashes)
	return w.Flush()
}
