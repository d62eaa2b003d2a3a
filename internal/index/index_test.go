package index_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// A model is a slow and simple index: the values by key.
type model map[index.ID]map[uint32]bool

// An item is the argument of one call of Add.
type item struct {
	key   index.ID
	value uint32
}

// key returns the ID of a class and a payload.
func key(_ testing.TB, class uint16, payload []byte) index.ID {
	var padded [32]byte
	copy(padded[:], payload)
	w := func(i int) uint64 { return binary.LittleEndian.Uint64(padded[8*i:]) }
	return index.IDOfWords(class, w(0), w(1), w(2), w(3), len(payload))
}

func (m model) add(items []item) {
	for _, it := range items {
		if m[it.key] == nil {
			m[it.key] = make(map[uint32]bool)
		}
		m[it.key][it.value] = true
	}
}

// build returns the index of items.
func build(t testing.TB, b *index.Builder, items []item) *index.Index {
	t.Helper()
	for _, it := range items {
		b.Add(it.key, it.value)
	}
	ix, err := b.Build()
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	return ix
}

// image returns the bytes of ix.
func image(t testing.TB, ix *index.Index) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := ix.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkModel compares ix with m, for all keys of m, all keys that ix lists, and the keys
// of others, most of them in neither.
func checkModel(t *testing.T, ix *index.Index, m model, others []index.ID) {
	t.Helper()
	if err := ix.Verify(); err != nil {
		t.Fatalf("Verify: %v", err)
	}
	if ix.Len() != len(m) {
		t.Fatalf("Len() = %d, want %d", ix.Len(), len(m))
	}
	keys := slices.Clone(others)
	for k := range m {
		keys = append(keys, k)
	}
	var values []uint32
	for _, k := range keys {
		s, ok := ix.Lookup(k)
		if ok != (m[k] != nil) {
			t.Fatalf("Lookup(%+v) reports %t, want %t", k, ok, !ok)
		}
		if _, same, found := ix.Place(k); found != ok || same != s {
			t.Fatalf("Place(%+v) = %d, %t, and Lookup %d, %t", k, same, found, s, ok)
		}
		if !ok {
			continue
		}
		var err error
		values, err = ix.AppendValues(values[:0], s)
		if err != nil || len(values) != len(m[k]) || !slices.IsSorted(values) {
			t.Fatalf("AppendValues of %+v = %d, %v, want the %d of %v", k, values, err, len(m[k]), m[k])
		}
		for _, v := range values {
			if !m[k][v] {
				t.Fatalf("AppendValues of %+v = %d, want %v", k, values, m[k])
			}
		}
	}
	listed := make(map[index.ID]bool)
	for k, s := range ix.All() {
		if want, ok := ix.Lookup(k); listed[k] || !ok || s != want {
			t.Fatalf("All returns %+v with %d again, or against Lookup: %d, %t", k, s, want, ok)
		}
		if place, _, _ := ix.Place(k); place != len(listed) {
			t.Fatalf("Place(%+v) = %d, and All returns %d keys before it", k, place, len(listed))
		}
		listed[k] = true
	}
	if len(listed) != len(m) {
		t.Fatalf("All returns %d keys, want %d", len(listed), len(m))
	}
}

// randomKey returns an ID of random length, class and bytes.
func randomKey(t testing.TB, r *rand.Rand) index.ID {
	b := make([]byte, r.IntN(33))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return key(t, uint16(r.Uint32()), b)
}

// distributions are kinds of keys; each returns the i-th of n.
var distributions = []struct {
	name string
	key  func(t testing.TB, r *rand.Rand, i int) index.ID
}{
	{"random", func(t testing.TB, r *rand.Rand, _ int) index.ID { return randomKey(t, r) }},
	{"20 bytes", func(t testing.TB, r *rand.Rand, _ int) index.ID { return random20(t, r) }},
	{"sequential", func(t testing.TB, _ *rand.Rand, i int) index.ID {
		return key(t, 2, binary.BigEndian.AppendUint64(make([]byte, 12), uint64(i)))
	}},
	{"sequential, from the front", func(t testing.TB, _ *rand.Rand, i int) index.ID {
		return key(t, 2, append(binary.LittleEndian.AppendUint64(nil, uint64(i)), make([]byte, 24)...))
	}},
	{"equal ends", func(t testing.TB, _ *rand.Rand, i int) index.ID {
		b := bytes.Repeat([]byte{0xde}, 32)
		binary.LittleEndian.PutUint32(b[14:], uint32(i))
		return key(t, 2, b[:20+i%13])
	}},
	{"zeros", func(t testing.TB, _ *rand.Rand, i int) index.ID {
		return key(t, uint16(i/33), make([]byte, i%33))
	}},
	{"classes", func(t testing.TB, _ *rand.Rand, i int) index.ID {
		return key(t, uint16(i), []byte("the same 20 bytes by"))
	}},
	{"one bit", func(t testing.TB, _ *rand.Rand, i int) index.ID {
		b := make([]byte, 32)
		b[i%256/8] = 1 << (i % 8)
		return key(t, uint16(i/256), b)
	}},
}

// random20 returns a random ID of 20 bytes.
func random20(t testing.TB, r *rand.Rand) index.ID {
	var b [20]byte
	binary.LittleEndian.PutUint64(b[:], r.Uint64())
	binary.LittleEndian.PutUint64(b[8:], r.Uint64())
	binary.LittleEndian.PutUint32(b[16:], r.Uint32())
	return key(t, 2, b[:])
}

func TestModel(t *testing.T) {
	for _, d := range distributions {
		for _, n := range []int{0, 1, 2, 13, 14, 15, 64, 65, 1000, longtest.N(2000, 10_000)} {
			for _, filterFrom := range []uint64{0, 1} {
				t.Run(fmt.Sprintf("%s/%d/filter=%d", d.name, n, filterFrom), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(n), filterFrom))
					var items []item
					var others []index.ID
					for i := range n {
						items = append(items, item{d.key(t, r, i), r.Uint32N(4)})
						if i%3 == 0 {
							items = append(items, item{items[r.IntN(len(items))].key, r.Uint32N(4)})
						}
						others = append(others, d.key(t, r, n+i), randomKey(t, r))
					}
					others = append(others, index.ID{})
					m := make(model)
					m.add(items)
					var b index.Builder
					b.Tune(filterFrom, nil)
					ix := build(t, &b, items)
					checkModel(t, ix, m, others)
					again, err := index.Load(image(t, ix), nil)
					if err != nil {
						t.Fatalf("Load: %v", err)
					}
					checkModel(t, again, m, nil)
					if err := ix.Close(); err != nil {
						t.Errorf("Close: %v", err)
					}
				})
			}
		}
	}
}

func TestDeterminism(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var items []item
	for range longtest.N(5_000, 100_000) {
		k := randomKey(t, r)
		for range 1 + r.IntN(3)/2 {
			items = append(items, item{k, r.Uint32N(50)})
		}
	}
	var b index.Builder
	want := image(t, build(t, &b, items))
	for try := range 2 {
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if got := image(t, build(t, &b, items)); !bytes.Equal(got, want) {
			t.Errorf("shuffle %d: another index", try)
		}
		twice := append(items, items[:r.IntN(len(items))]...)
		if got := image(t, build(t, &b, twice)); !bytes.Equal(got, want) {
			t.Errorf("shuffle %d, with repetitions: another index", try)
		}
		path := filepath.Join(t.TempDir(), "index")
		for _, it := range items {
			b.Add(it.key, it.value)
		}
		if err := b.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("shuffle %d: another file (%v)", try, err)
		}
	}
	items[0].value++
	if got := image(t, build(t, &b, items)); bytes.Equal(got[24:56], want[24:56]) {
		t.Errorf("the seed is the same for other values")
	}
}

// If many keys share a set, an entry takes little more than its key.
func TestSize(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var items []item
	for range 100_000 {
		items = append(items, item{random20(t, r), r.Uint32N(100)})
	}
	for _, tt := range []struct {
		filterFrom uint64
		want       int
	}{{1 << 40, 28}, {0, 29}} {
		var b index.Builder
		b.Tune(tt.filterFrom, nil)
		ix := build(t, &b, items)
		if got := ix.Size() - tt.want*len(items); got < 0 || got > 4096 {
			t.Errorf("%d bytes for %d entries, want %d for each and at most 4096 more", ix.Size(), len(items), tt.want)
		}
	}
}
