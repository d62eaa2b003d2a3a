// Indexbench measures package index against Go maps. Both run in one process, in
// turn, so the ratios hold on a busy machine.
//
//	indexbench -n 1000000             lookups and building, against maps
//	indexbench -n 1000000 -build      building only
//	indexbench -n 1000000 -peak       peak memory of building
//
// Keys are 20 bytes, derived from their numbers; each has one of 16 values.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
)

func main() {
	n := flag.Int("n", 1_000_000, "number of keys")
	rounds := flag.Int("rounds", 9, "rounds of which the median is printed")
	building := flag.Bool("build", false, "measure building alone")
	peak := flag.Bool("peak", false, "measure the memory that building takes")
	flag.Parse()
	var err error
	if *peak {
		err = benchPeak(*n)
	} else {
		err = compare(*n, *rounds, *building)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "indexbench:", err)
		os.Exit(1)
	}
}

// mix is a bijection that looks random: the output function of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// payload returns key number i. No two are the same.
func payload(i uint64) (p [20]byte) {
	x := mix(i * 0x9e3779b97f4a7c15)
	binary.LittleEndian.PutUint64(p[:], x)
	binary.LittleEndian.PutUint64(p[8:], mix(x+1))
	binary.LittleEndian.PutUint32(p[16:], uint32(x*3>>20))
	return p
}

// missing is the number from which on no key is in the index.
const missing = 1 << 40

// queries is the number of different keys looked up.
func queries(n int) int { return min(1<<20, max(1<<16, n)) }

// makeQueries returns payloads that are there, or that are not.
func makeQueries(n int, hit bool) [][20]byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	all := make([][20]byte, queries(n))
	for i := range all {
		if hit {
			all[i] = payload(r.Uint64N(uint64(n)))
		} else {
			all[i] = payload(missing + uint64(i))
		}
	}
	return all
}

// keysOf returns payloads as Keys.
func keysOf(payloads [][20]byte) []index.ID {
	keys := make([]index.ID, len(payloads))
	for i := range keys {
		keys[i] = index.ID20(2, &payloads[i])
	}
	return keys
}

// add adds n keys to a Builder.
func add(b *index.Builder, payloads [][20]byte) {
	for i := range payloads {
		b.Add(index.ID20(2, &payloads[i]), uint32(i)&15)
	}
}

// A candidate is something to measure: run returns the time of one pass.
type candidate struct {
	name string
	per  int // what the time is divided by
	run  func() time.Duration
	all  []time.Duration
}

// measure runs the candidates turn by turn, once without counting, and prints
// their medians, and the ratio of the first to each.
func measure(title string, rounds int, cs ...*candidate) {
	for r := range rounds + 1 {
		for _, c := range cs {
			if d := c.run(); r > 0 {
				c.all = append(c.all, d)
			}
		}
	}
	var first float64
	for i, c := range cs {
		slices.Sort(c.all)
		ns := float64(c.all[len(c.all)/2].Nanoseconds()) / float64(c.per)
		if i == 0 {
			first = ns
		}
		fmt.Printf("%-12s %-12s %8.1f ns  (least %.1f)  x%.2f\n", title, c.name, ns, float64(c.all[0].Nanoseconds())/float64(c.per), ns/first)
	}
}

// sink keeps the compiler from optimizing the look-ups away.
var sink uint64

// compare measures an index of n keys against maps: with building, only how long
// they take to fill.
func compare(n, rounds int, building bool) error {
	payloads := make([][20]byte, n)
	for i := range payloads {
		payloads[i] = payload(uint64(i))
	}
	var ix *index.Index
	var m map[[20]byte]uint32
	var err error
	builds := []*candidate{
		{name: "index", per: n, run: func() time.Duration {
			if ix != nil {
				ix.Close()
			}
			runtime.GC()
			begin := time.Now()
			var b index.Builder
			add(&b, payloads)
			ix, err = b.Build()
			return time.Since(begin)
		}},
		{name: "map[20]", per: n, run: func() time.Duration {
			m = nil
			runtime.GC()
			begin := time.Now()
			m = make(map[[20]byte]uint32, n)
			for i := range payloads {
				m[payloads[i]] = uint32(i) & 15
			}
			return time.Since(begin)
		}},
	}
	measure("build", min(rounds, 5), builds...)
	if err != nil || building {
		return err
	}
	fmt.Printf("%-12s %-12s %8.2f B/entry\n", "size", "index", float64(ix.Size())/float64(n))
	payloads = nil
	for _, hit := range []bool{false, true} {
		qs := makeQueries(n, hit)
		keys := keysOf(qs)
		title := map[bool]string{false: "miss", true: "hit"}[hit]
		loops := []*candidate{
			{name: "index", per: len(qs), run: func() time.Duration {
				begin := time.Now()
				for i := range keys {
					s, _ := ix.Lookup(keys[i])
					sink += uint64(s)
				}
				return time.Since(begin)
			}},
			{name: "map[20]", per: len(qs), run: func() time.Duration {
				begin := time.Now()
				for i := range qs {
					sink += uint64(m[qs[i]])
				}
				return time.Since(begin)
			}},
		}
		lone := []*candidate{
			{name: "index", per: len(qs), run: func() time.Duration {
				begin := time.Now()
				for i := range keys {
					s, _ := ix.Lookup(keys[i])
					sink += uint64(s)
					fence()
				}
				return time.Since(begin)
			}},
			{name: "map[20]", per: len(qs), run: func() time.Duration {
				begin := time.Now()
				for i := range qs {
					sink += uint64(m[qs[i]])
					fence()
				}
				return time.Since(begin)
			}},
			{name: "the loop", per: len(qs), run: func() time.Duration {
				begin := time.Now()
				for i := range keys {
					sink += uint64(keys[i].Class())
					fence()
				}
				return time.Since(begin)
			}},
		}
		measure(title+" loop", rounds, loops...)
		measure(title+" lone", rounds, lone...)
	}
	m = nil
	fmt.Printf("%-12s %-12s %v\n", "collector", "index", collect())
	runtime.KeepAlive(ix)
	fmt.Fprintln(io.Discard, sink)
	return nil
}

// collect returns how long a collection takes.
func collect() time.Duration {
	runtime.GC()
	begin := time.Now()
	runtime.GC()
	return time.Since(begin)
}

// status returns lines of a file of the kernel about this process, where there
// is one.
func status(path string, names ...string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close() // read only
	var found []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		name, value, _ := strings.Cut(sc.Text(), ":")
		if slices.Contains(names, name) {
			found = append(found, name+" "+strings.Join(strings.Fields(value), " "))
		}
	}
	return strings.Join(found, ", ")
}

// benchPeak builds an index of n keys in memory, and prints how much of that the
// process has had at most.
func benchPeak(n int) error {
	begin := time.Now()
	var b index.Builder
	for i := range n {
		p := payload(uint64(i))
		b.Add(index.ID20(2, &p), uint32(i)&15)
	}
	added := status("/proc/self/status", "VmHWM")
	ix, err := b.Build()
	if err != nil {
		return err
	}
	fmt.Printf("%d keys in %v: %d bytes; with all added %s; built %s\n", n, time.Since(begin).Round(time.Millisecond), ix.Size(), added,
		status("/proc/self/status", "VmHWM", "VmRSS"))
	return ix.Close()
}
