package index_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/walletscreen/walletscreen/internal/index"
)

// queries is the number of different keys looked up in turn: enough that the branch
// predictor learns none of them.
const queries = 1 << 18

// sizes are the sizes of the indexes.
var sizes = []int{1_000, 1_000_000, 10_000_000}

// A bench holds the same keys in every form.
type bench struct {
	n       int
	payload [][20]byte
	hits    [][20]byte
	misses  [][20]byte
}

func newBench(n int) *bench {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	fill := func(n int) [][20]byte {
		all := make([][20]byte, n)
		for i := range all {
			binary.LittleEndian.PutUint64(all[i][:], r.Uint64())
			binary.LittleEndian.PutUint64(all[i][8:], r.Uint64())
			binary.LittleEndian.PutUint32(all[i][16:], r.Uint32())
		}
		return all
	}
	be := &bench{n: n, payload: fill(n), misses: fill(queries)}
	be.hits = make([][20]byte, queries)
	for i := range be.hits {
		be.hits[i] = be.payload[r.IntN(n)]
	}
	return be
}

// keys returns payloads as Keys.
func keys(payload [][20]byte) []index.ID {
	all := make([]index.ID, len(payload))
	for i := range all {
		all[i] = key(2, payload[i][:])
	}
	return all
}

// table returns a Table of all keys, each with one of 16 values.
func (be *bench) table() *index.Table {
	t := index.New(nil)
	for i := range be.payload {
		t.Add(key(2, be.payload[i][:]), uint32(i)&15, 0, 0)
	}
	t.Seal()
	return t
}

// BenchmarkLookup compares a Table with a Go map. In lone, each lookup waits for the
// previous one, like the only lookup of a request: the addition of its result is a
// fence.
func BenchmarkLookup(b *testing.B) {
	for _, n := range sizes {
		be := newBench(n)
		t := be.table()
		array := make(map[[20]byte]uint32, n)
		for i := range be.payload {
			array[be.payload[i]] = uint32(i) & 15
		}
		for _, q := range []struct {
			name    string
			payload [][20]byte
		}{{"miss", be.misses}, {"hit", be.hits}} {
			qs := keys(q.payload)
			var buf [8]uint32
			has := func(k *index.ID) uint64 {
				if mayHave(t, k.Hash()) && len(t.AppendRows(buf[:0], *k)) > 0 {
					return 1
				}
				return 0
			}
			var fence atomic.Uint64
			name := func(structure, how string) string {
				return fmt.Sprintf("n=%d/%s/%s/%s", n, q.name, how, structure)
			}
			b.Run(name("index", "stream"), func(b *testing.B) {
				b.ReportMetric(float64(t.Size())/float64(n), "B/entry")
				var sum uint64
				for i := 0; b.Loop(); i++ {
					sum += has(&qs[i%queries])
				}
				fence.Add(sum)
			})
			b.Run(name("map[20]", "stream"), func(b *testing.B) {
				var sum uint32
				for i := 0; b.Loop(); i++ {
					sum += array[q.payload[i%queries]]
				}
				fence.Add(uint64(sum))
			})
			b.Run(name("index", "lone"), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					fence.Add(has(&qs[i%queries]))
				}
			})
			b.Run(name("map[20]", "lone"), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					fence.Add(uint64(array[q.payload[i%queries]]))
				}
			})
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes {
		be := newBench(n)
		perEntry := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
		}
		b.Run(fmt.Sprintf("n=%d/index", n), func(b *testing.B) {
			for b.Loop() {
				be.table()
			}
			perEntry(b)
		})
		b.Run(fmt.Sprintf("n=%d/map[20]", n), func(b *testing.B) {
			for b.Loop() {
				m := make(map[[20]byte]uint32, n)
				for i := range be.payload {
					m[be.payload[i]] = uint32(i) & 15
				}
			}
			perEntry(b)
		})
	}
}
