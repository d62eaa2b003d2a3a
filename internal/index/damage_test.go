package index_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// zeroSeed is a seed that hashes to 0 all keys of at most 20 bytes whose last four bytes
// are 0. For every other seed there are such keys, too.
var zeroSeed = [4]uint64{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0, 1}

// small returns a small index that uses every part of the format, and its model.
func small(t testing.TB) (*index.Index, model) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var items []item
	for i := range 20 {
		items = append(items, item{random20(t, r), uint32(i % 3)}, item{randomKey(t, r), 7})
		if i%4 == 0 {
			items = append(items, item{items[len(items)-1].key, 9})
		}
	}
	// More keys with one hash than a bucket has fingerprints.
	for i := range 20 {
		items = append(items, item{key(t, uint16(i), make([]byte, 20)), 1})
	}
	m := make(model)
	m.add(items)
	var b index.Builder
	b.Tune(1, func(int) [4]uint64 { return zeroSeed })
	for _, text := range []string{"ofac", "", "a name"} {
		b.Intern(text)
	}
	return build(t, &b, items), m
}

// ask calls every method of ix, with the keys of m and with others. It returns an error if
// an answer contradicts itself.
func ask(ix *index.Index, m model) error {
	var keys []index.ID
	for k := range m {
		keys = append(keys, k, k.WithClass(k.Class()+1))
	}
	var errs []error
	listed := make(map[index.ID]index.Set)
	for k, s := range ix.All() {
		if _, ok := listed[k]; ok {
			errs = append(errs, fmt.Errorf("%+v is given twice", k))
		}
		listed[k] = s
		keys = append(keys, k)
		if len(listed) > 10_000 {
			break
		}
	}
	for _, k := range keys {
		s, ok := ix.Lookup(k)
		if want, listed := listed[k]; ok != listed || ok && s != want {
			errs = append(errs, fmt.Errorf("Lookup(%+v) = %d, %t, want %d, %t", k, s, ok, want, listed))
		}
		if ok {
			if _, err := ix.AppendValues(nil, s); err != nil {
				errs = append(errs, err)
			}
		}
		if place, s, found := ix.Place(k); found != ok || place < 0 || place >= max(1, ix.Len()) {
			errs = append(errs, fmt.Errorf("Place(%+v) = %d, %d, %t of %d keys", k, place, s, found, ix.Len()))
		}
	}
	for i := range uint32(min(ix.Texts(), 100)) {
		if _, err := ix.Text(i); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Verify finds each changed byte, and without Verify it does no harm.
func TestDamage(t *testing.T) {
	ix, m := small(t)
	checkModel(t, ix, m, nil)
	if err := ask(ix, m); err != nil {
		t.Fatalf("undamaged: %v", err)
	}
	whole := image(t, ix)
	for i := range whole {
		if i%longtest.Step(1, 1) > 0 {
			continue
		}
		flips := []byte{1, 0x80}
		if !longtest.Enabled() {
			flips = flips[i%2:][:1]
		}
		for _, flip := range flips {
			data := slices.Clone(whole)
			data[i] ^= flip
			bad, err := index.Load(data, nil)
			if err == nil {
				if i%longtest.N(4, 1) == 0 {
					ask(bad, m)
				}
				err = bad.Verify()
			}
			if !errors.Is(err, index.ErrDamaged) {
				t.Fatalf("byte %d ^ %#x: error %v, want ErrDamaged", i, flip, err)
			}
		}
	}
}

// An index with valid checksums over changed bytes does no harm either, and if Verify
// accepts it, its answers agree with each other.
func TestResealed(t *testing.T) {
	ix, m := small(t)
	whole := image(t, ix)
	if !bytes.Equal(index.Reseal(whole), whole) {
		t.Fatal("Reseal changes an index that is whole")
	}
	accepted := 0
	for i := range whole {
		for j, flip := range []byte{1, 0xff} {
			if (i+j)%longtest.Step(9, 1) != 0 {
				continue
			}
			data := slices.Clone(whole)
			data[i] ^= flip
			bad, err := index.Load(index.Reseal(data), nil)
			if err != nil {
				continue
			}
			inconsistent := ask(bad, m)
			if bad.Verify() == nil {
				accepted++
				if inconsistent != nil {
					t.Errorf("byte %d ^ %#x: Verify accepts, but %v", i, flip, inconsistent)
				}
			}
		}
	}
	// Verify cannot see changes of values, texts and padding.
	if accepted == 0 || accepted > len(whole) {
		t.Errorf("Verify accepts %d of %d", accepted, 2*len(whole))
	}
}

func TestLength(t *testing.T) {
	ix, m := small(t)
	whole := image(t, ix)
	for n := range whole {
		for _, data := range [][]byte{whole[:n:n], index.Reseal(whole[:n])} {
			if bad, err := index.Load(data, nil); err == nil {
				t.Fatalf("%d of %d bytes are accepted: %v", n, len(whole), ask(bad, m))
			} else if !errors.Is(err, index.ErrDamaged) {
				t.Fatalf("%d of %d bytes: %v, want ErrDamaged", n, len(whole), err)
			}
		}
	}
	if _, err := index.Load(append(slices.Clone(whole), 0), nil); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("one byte more: %v, want ErrDamaged", err)
	}
}

// A lookup that finds nonsense is not a miss.
func TestFailClosed(t *testing.T) {
	ix, m := small(t)
	whole := image(t, ix)
	failed := 0
	for i := 0; i+4 <= len(whole); i += 4 {
		data := slices.Clone(whole)
		binary.LittleEndian.PutUint32(data[i:], 1<<31)
		bad, err := index.Load(index.Reseal(data), nil)
		if err != nil {
			continue
		}
		for k := range m {
			if s, ok := bad.Lookup(k); ok {
				if _, err := bad.AppendValues(nil, s); errors.Is(err, index.ErrDamaged) {
					failed++
				}
			}
		}
	}
	// The keys of hash 0 are in the first bucket, which has more records than
	// fingerprints. If its end is too early, none of them may be a miss.
	narrow := 0
	for k := range m {
		if len(k.AppendBytes(nil)) <= 20 {
			narrow++
		}
	}
	buckets := (narrow + 7) / 8
	data := slices.Clone(whole)
	binary.LittleEndian.PutUint32(data[256+(8*buckets+63)/64*64+32:], 1)
	bad, err := index.Load(index.Reseal(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if s, ok := bad.Lookup(key(t, uint16(i), make([]byte, 20))); !ok {
			t.Errorf("a bucket that ends too early: Lookup of class %d = %d, %t", i, s, ok)
		}
	}

	closed, _ := small(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for k := range m {
		s, ok := closed.Lookup(k)
		if _, err := closed.AppendValues(nil, s); !ok || !errors.Is(err, index.ErrDamaged) {
			t.Fatalf("a closed index answers %d, %t for %+v", s, ok, k)
		}
	}
	if failed == 0 {
		t.Error("no look-up in a damaged index failed")
	}
	if closed.Len() != 0 || closed.Verify() == nil {
		t.Errorf("a closed index has %d keys, and is verified", closed.Len())
	}
}

func FuzzOpen(f *testing.F) {
	ix, m := small(f)
	whole := image(f, ix)
	f.Add(whole, false)
	f.Add(whole, true)
	var b index.Builder
	f.Add(image(f, build(f, &b, nil)), true)
	for _, n := range []int{0, 8, 255, 256, 300} {
		f.Add(whole[:n], true)
	}
	f.Fuzz(func(t *testing.T, data []byte, reseal bool) {
		if reseal {
			data = index.Reseal(data)
		}
		ix, err := index.Load(data, nil)
		if err != nil {
			if !errors.Is(err, index.ErrDamaged) {
				t.Errorf("Load: %v, want ErrDamaged", err)
			}
			return
		}
		inconsistent := ask(ix, m)
		if ix.Verify() == nil && inconsistent != nil {
			t.Errorf("Verify accepts, but %v", inconsistent)
		}
	})
}

// collide returns n keys of 20 bytes that fall into the first bucket under a seed, as an
// attacker who knows the seed would make them.
func collide(t *testing.T, seed [4]uint64, n int, buckets uint64) []index.ID {
	r := rand.New(rand.NewPCG(5, 6))
	var keys []index.ID
	for len(keys) < n {
		k := random20(t, r)
		if index.HashWith(seed, k)>>32*buckets>>32 == 0 {
			keys = append(keys, k)
		}
	}
	return keys
}

func TestOverfull(t *testing.T) {
	seeds := make([][4]uint64, 3)
	for i := range seeds {
		seeds[i] = [4]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64(), rand.Uint64()}
	}
	choose := func(n int) [4]uint64 { return seeds[min(n, len(seeds)-1)] }
	r := rand.New(rand.NewPCG(7, 8))
	const n = 4096
	for _, tt := range []struct {
		name      string
		colliding int
		under     int // the seed
		want      int
	}{
		{"at most", index.MaxBucket, 0, 0},
		{"one more", index.MaxBucket + 1, 0, 1},
		{"many", 500, 0, 1},
		{"under another seed", 500, 1, 0},
	} {
		var items []item
		for _, k := range collide(t, seeds[tt.under], tt.colliding, n/8) {
			items = append(items, item{k, 1})
		}
		for len(items) < n {
			k := random20(t, r)
			if index.HashWith(seeds[tt.under], k)>>32*(n/8)>>32 != 0 {
				items = append(items, item{k, 2})
			}
		}
		var b index.Builder
		b.Tune(0, choose)
		ix := build(t, &b, items)
		if ix.Seed() != seeds[tt.want] {
			t.Fatalf("%s: seed %v, want %v", tt.name, ix.Seed(), seeds[tt.want])
		}
		m := make(model)
		m.add(items)
		checkModel(t, ix, m, nil)
	}

	// All keys have one hash under every seed except the last.
	var items []item
	for i := range longtest.N(8000, 20_000) {
		var p [20]byte
		binary.LittleEndian.PutUint64(p[:], uint64(i))
		items = append(items, item{index.ID20(1, &p), 1})
	}
	var b index.Builder
	b.Tune(0, func(n int) [4]uint64 {
		if n < 3 {
			return zeroSeed
		}
		return seeds[0]
	})
	m := make(model)
	m.add(items)
	checkModel(t, build(t, &b, items), m, nil)

	b.Tune(0, func(int) [4]uint64 { return zeroSeed })
	for _, it := range items[:1000] {
		b.Add(it.key, it.value)
	}
	if _, err := b.Build(); err == nil {
		t.Error("no error, though every seed overfills a bucket")
	}
	// The Builder is empty again.
	b.Tune(0, nil)
	checkModel(t, build(t, &b, items), m, nil)
}

func TestAllocs(t *testing.T) {
	ix, m := small(t)
	var keys []index.ID
	for k := range m {
		keys = append(keys, k, index.ID{})
	}
	values := make([]uint32, 0, 8)
	if n := testing.AllocsPerRun(100, func() {
		for _, k := range keys {
			if s, ok := ix.Lookup(k); ok {
				values, _ = ix.AppendValues(values[:0], s)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestConcurrent(t *testing.T) {
	ix, m := small(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := ask(ix, m); err != nil {
				t.Error(err)
			}
			if err := ix.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestKeyOf(t *testing.T) {
	seen := make(map[index.ID]string)
	for n := range 33 {
		for _, fill := range []byte{0, 0xab} {
			b := bytes.Repeat([]byte{fill}, n)
			k := key(t, 0x8123, b)
			if k.Class() != 0x8123 || !bytes.Equal(k.AppendBytes([]byte("x")), append([]byte("x"), b...)) {
				t.Errorf("the ID of %x is %#x, %x", b, k.Class(), k.AppendBytes(nil))
			}
			if other, ok := seen[k]; ok && n > 0 {
				t.Errorf("the ID is the same for %x and %s", b, other)
			}
			seen[k] = fmt.Sprintf("%x", b)
		}
	}
	p20, p32 := [20]byte{1, 19: 2}, [32]byte{1, 31: 2}
	if index.ID20(7, &p20) != key(t, 7, p20[:]) || index.ID32(7, &p32) != key(t, 7, p32[:]) {
		t.Error("ID20 or ID32 is not IDOfWords")
	}
}

func TestTexts(t *testing.T) {
	var b index.Builder
	want := []string{"ofac", "", "Lazarus Group", "\x00\xff"}
	for range 2 {
		for i, text := range want {
			if got := b.Intern(text); got != uint32(i) {
				t.Errorf("Intern(%q) = %d, want %d", text, got, i)
			}
		}
	}
	ix := build(t, &b, nil)
	if ix.Texts() != len(want) {
		t.Errorf("Texts() = %d, want %d", ix.Texts(), len(want))
	}
	for i, text := range want {
		if got, err := ix.Text(uint32(i)); got != text || err != nil {
			t.Errorf("Text(%d) = %q, %v, want %q", i, got, err, text)
		}
	}
	for _, i := range []uint32{uint32(len(want)), 1<<32 - 1} {
		if got, err := ix.Text(i); err == nil {
			t.Errorf("Text(%d) = %q, want an error", i, got)
		}
	}
	for _, s := range []index.Set{0, 1<<32 - 1} {
		if got, err := ix.AppendValues(nil, s); err == nil {
			t.Errorf("AppendValues(%d) = %d, want an error", s, got)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "index")
	if _, err := index.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of no file: %v", err)
	}
	if _, err := index.Open(dir); err == nil {
		t.Error("Open of a directory: no error")
	}
	for _, n := range []int{0, 100, 5000} {
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := index.Open(path); !errors.Is(err, index.ErrDamaged) {
			t.Errorf("Open of %d zeros: %v, want ErrDamaged", n, err)
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	var opened []*index.Index
	var models []model
	for range 3 { // each replaces the previous one, which stays open
		var items []item
		for range 10_000 {
			items = append(items, item{randomKey(t, r), r.Uint32N(10)})
		}
		m := make(model)
		m.add(items)
		var b index.Builder
		b.Tune(1, nil)
		for _, it := range items {
			b.Add(it.key, it.value)
		}
		if err := b.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		ix, err := index.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Tune(1, nil)
		if memory := build(t, &b, items); memory.Digest() != ix.Digest() || memory.Size() != ix.Size() {
			t.Errorf("the file has digest %x, in memory it is %x", ix.Digest(), memory.Digest())
		}
		opened, models = append(opened, ix), append(models, m)
	}
	for i, ix := range opened {
		checkModel(t, ix, models[i], nil)
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%v are left", files)
	}
	var b index.Builder
	b.Add(key(t, 1, nil), 1)
	if err := b.WriteFile(filepath.Join(dir, "none", "index")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("WriteFile to no directory: %v", err)
	}
	if ix, err := b.Build(); err != nil || ix.Len() != 0 {
		t.Errorf("Build after that: an index of %d keys, %v, want the Builder to be as new", ix.Len(), err)
	}
}
