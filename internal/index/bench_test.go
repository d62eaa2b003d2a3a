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
func keys(b *testing.B, payload [][20]byte) []index.ID {
	all := make([]index.ID, len(payload))
	for i := range all {
		all[i] = key(b, 2, payload[i][:])
	}
	return all
}

// add adds all keys to a Builder, each with one of 16 values.
func (be *bench) add(bu *index.Builder) {
	for i := range be.payload {
		bu.Add(index.ID20(2, &be.payload[i]), uint32(i)&15)
	}
}

// BenchmarkLookup compares an Index with Go maps. In lone, each lookup waits for the
// previous one, like the only lookup of a request: the addition of its result is a
// fence.
func BenchmarkLookup(b *testing.B) {
	for _, n := range sizes {
		be := newBench(n)
		var bu index.Builder
		be.add(&bu)
		ix, err := bu.Build()
		if err != nil {
			b.Fatal(err)
		}
		array := make(map[[20]byte]uint32, n)
		for i := range be.payload {
			array[be.payload[i]] = uint32(i) & 15
		}
		var str map[string]uint32
		if n <= 1_000_000 { // a larger one keeps the collector busy for seconds
			str = make(map[string]uint32, n)
			for i := range be.payload {
				str[string(be.payload[i][:])] = uint32(i) & 15
			}
		}
		for _, q := range []struct {
			name    string
			payload [][20]byte
		}{{"miss", be.misses}, {"hit", be.hits}} {
			qs := keys(b, q.payload)
			var fence atomic.Uint64
			name := func(structure, how string) string {
				return fmt.Sprintf("n=%d/%s/%s/%s", n, q.name, how, structure)
			}
			b.Run(name("index", "stream"), func(b *testing.B) {
				b.ReportMetric(float64(ix.Size())/float64(n), "B/entry")
				for i := 0; b.Loop(); i++ {
					ix.Lookup(qs[i%queries])
				}
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
					s, _ := ix.Lookup(qs[i%queries])
					fence.Add(uint64(s))
				}
			})
			b.Run(name("map[20]", "lone"), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					fence.Add(uint64(array[q.payload[i%queries]]))
				}
			})
			if str != nil {
				b.Run(name("map[string]", "lone"), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						fence.Add(uint64(str[string(q.payload[i%queries][:])]))
					}
				})
			}
		}
		ix.Close()
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
				var bu index.Builder
				be.add(&bu)
				ix, err := bu.Build()
				if err != nil {
					b.Fatal(err)
				}
				ix.Close()
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
