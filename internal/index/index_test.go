package index_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// key returns the ID of a class and a payload.
func key(class identity.Class, payload []byte) index.ID {
	var padded [32]byte
	copy(padded[:], payload)
	return index.MakeID(class, identity.FromBytes(&padded), len(payload))
}

// derive returns the key under which the rows of a key of class 2 are found, too.
func derive(k index.ID) (index.ID, bool) {
	if k.Class() != 2 {
		return index.ID{}, false
	}
	padded := identity.Bytes(k.Words)
	b := padded[:k.Len()]
	slices.Reverse(b)
	return key(3, b), true
}

// has reports whether t has k, or a filter of t alone may have it.
func has(t *index.Table, k index.ID) (table, filter bool) {
	h := k.Hash()
	return len(t.AppendRows(nil, k)) > 0, mayHave(t, h) && index.NewFilter(t).MayHave(h)
}

// mayHave is MayHave of the Filter of t, if it has one.
func mayHave(t *index.Table, h uint64) bool { return t.Filter() == nil || t.Filter().MayHave(h) }

// randomKey returns an ID of random length, class and bytes.
func randomKey(r *rand.Rand) index.ID {
	b := make([]byte, r.IntN(33))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return key(identity.Class(r.IntN(5)), b)
}

// distributions are kinds of keys; each returns the i-th.
var distributions = map[string]func(r *rand.Rand, i int) index.ID{
	"random": func(r *rand.Rand, _ int) index.ID { return randomKey(r) },
	"sequential": func(_ *rand.Rand, i int) index.ID {
		return key(2, binary.BigEndian.AppendUint64(make([]byte, 12), uint64(i)))
	},
	"sequential, from the front": func(_ *rand.Rand, i int) index.ID {
		return key(2, append(binary.LittleEndian.AppendUint64(nil, uint64(i)), make([]byte, 24)...))
	},
	"equal ends": func(_ *rand.Rand, i int) index.ID {
		b := bytes.Repeat([]byte{0xde}, 32)
		binary.LittleEndian.PutUint32(b[14:], uint32(i))
		return key(1, b[:20+i%13])
	},
	"zeros":   func(_ *rand.Rand, i int) index.ID { return key(identity.Class(i/33), make([]byte, i%33)) },
	"classes": func(_ *rand.Rand, i int) index.ID { return key(identity.Class(i), []byte("the same 20 bytes by")) },
	"one bit": func(_ *rand.Rand, i int) index.ID {
		b := make([]byte, 32)
		b[i%256/8] = 1 << (i % 8)
		return key(identity.Class(i/256), b)
	},
	"few": func(r *rand.Rand, _ int) index.ID { return key(2, []byte{byte(r.IntN(7))}) },
}

// TestModel compares tables of keys, some of them added again and some derived, with a map.
func TestModel(t *testing.T) {
	for name, of := range distributions {
		for _, n := range []int{0, 1, 2, 15, 16, 17, 1000, longtest.N(20_000, 200_000)} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(n), 1))
				table, rows := index.New(derive), make(map[index.ID][]uint32)
				var keys []index.ID
				distinct := make(map[index.ID]bool)
				add := func(k index.ID) {
					keys = append(keys, k)
					row := uint32(len(keys))
					table.Add(k, 7*row, 1+row%3, 0)
					distinct[k] = true
					rows[k] = append(rows[k], row)
					if d, ok := derive(k); ok {
						rows[d] = append(rows[d], row)
					}
				}
				for i := range n {
					add(of(r, i))
					if i%3 == 0 {
						add(keys[r.IntN(len(keys))])
					}
				}
				check := func(derived bool) {
					t.Helper()
					for k, want := range rows {
						if !derived { // they are found once the table is sealed
							want = slices.DeleteFunc(slices.Clone(want), func(row uint32) bool { return keys[row-1] != k })
						}
						if got := table.AppendRows(nil, k); !slices.Equal(got, want) {
							t.Fatalf("%+v has the rows %d, want %d", k, got, want)
						}
						tagged := slices.DeleteFunc(slices.Clone(want), func(row uint32) bool { return row%3 != 1 })
						if got := table.AppendTagged(nil, k.Hash(), &k, 2); !slices.Equal(got, tagged) {
							t.Fatalf("%+v has the tagged rows %d, want %d", k, got, tagged)
						}
					}
				}
				check(false) // it can be asked while it grows
				if err := table.Seal(); err != nil {
					t.Fatal(err)
				}
				check(true)
				derived := table.Derived()
				table = index.New(derive) // again, with the derived keys
				for i, k := range keys {
					row := uint32(i + 1)
					table.Add(k, 7*row, 1+row%3, derived[row])
				}
				if err := table.Seal(); err != nil {
					t.Fatal(err)
				}
				check(true)
				if table.Len() != len(distinct) || table.Rows() != uint32(len(keys)) {
					t.Errorf("%d keys in %d rows, want %d, %d", table.Len(), table.Rows(), len(distinct), len(keys))
				}
				for i, k := range keys {
					if got, value := table.Key(uint32(i+1)), table.Value(uint32(i+1)); got != k || value != uint32(7*(i+1)) {
						t.Fatalf("row %d is %+v, %d, want %+v", i+1, got, value, k)
					}
				}
				if n > 1000 {
					return
				}
				for i := range 2 * n {
					for _, k := range []index.ID{of(r, n+i), randomKey(r), {}} {
						is := rows[k] != nil
						if in, may := has(table, k); in != is || is && !may {
							t.Fatalf("%+v: rows %v, MayHave %v, want %v", k, in, may, is)
						}
						if got := table.AppendRows(nil, k); !slices.Equal(got, rows[k]) {
							t.Fatalf("%+v has the rows %d, want %d", k, got, rows[k])
						}
					}
				}
			})
		}
	}
}

// TestLarge checks a table that has a filter of its own.
func TestLarge(t *testing.T) {
	table := index.New(nil)
	of := func(i int) index.ID {
		return key(1, binary.BigEndian.AppendUint64(make([]byte, 12), uint64(i)))
	}
	const n = 9 << 13 // more than maxShared, in whole pieces
	for i := range n {
		table.Add(of(i), uint32(i), 0, 0)
	}
	if err := table.Seal(); err != nil {
		t.Fatal(err)
	}
	is := func(k index.ID) bool {
		var buf [8]uint32
		return mayHave(table, k.Hash()) && len(table.AppendRows(buf[:0], k)) > 0
	}
	for i := range 2 * n {
		if got := is(of(i)); got != (i < n) {
			t.Fatalf("key %d: %v", i, got)
		}
	}
	if perKey := table.Size() / n; perKey > 48+13+2 {
		t.Errorf("a key takes %d bytes", perKey)
	}
	hit, miss := of(1), of(n)
	if a := testing.AllocsPerRun(100, func() { is(hit); is(miss) }); a != 0 {
		t.Errorf("a lookup allocates %v times", a)
	}
}

// TestHash checks that keys of one kind do not fall together, whatever the seed: of a random
// function, four of 10,000 keys have a slot of 2^32 with another one in one of 2^13 runs.
func TestHash(t *testing.T) {
	for name, of := range distributions {
		if name == "few" {
			continue
		}
		r := rand.New(rand.NewPCG(1, 2))
		slots, keys := make(map[uint64]bool), make(map[index.ID]bool)
		for i := range 10_000 {
			k := of(r, i)
			keys[k] = true
			slots[index.Hash(k.Class(), k.Words, k.Len())>>32] = true
		}
		if together := len(keys) - len(slots); together > 4 {
			t.Errorf("%s: %d of %d keys fall together", name, together, len(keys))
		}
	}
}

// TestFilter checks that a Filter of several tables has the keys of all, and few others.
func TestFilter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var tables []*index.Table
	var keys []index.ID
	for n := range 5 {
		table := index.New(derive)
		for range 10 * n * n * n * n {
			b := make([]byte, 20)
			binary.LittleEndian.PutUint64(b, r.Uint64())
			k := key(2, b)
			table.Add(k, 0, 0, 0)
			d, _ := derive(k)
			keys = append(keys, k, d)
		}
		if err := table.Seal(); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	f := index.NewFilter(tables...)
	may := func(k index.ID) bool {
		return f.MayHave(index.Hash(k.Class(), k.Words, k.Len()))
	}
	for _, k := range keys {
		if !may(k) {
			t.Fatalf("%+v is not in the filter", k)
		}
	}
	passed := 0
	const others = 100_000
	for range others {
		if k := key(1, binary.LittleEndian.AppendUint64(nil, r.Uint64())); may(k) {
			passed++
		}
	}
	if passed > others/50 { // about 250 are expected
		t.Errorf("%d of %d other keys pass", passed, others)
	}
	if index.NewFilter().MayHave(1) {
		t.Error("an empty filter has a key")
	}
}
