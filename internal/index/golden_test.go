package index_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// A shape is a kind of list.
type shape struct {
	name   string
	n      int
	key    func(t testing.TB, r *rand.Rand, i int) index.ID
	value  func(r *rand.Rand, i int) uint32
	again  float64 // the part of items whose keys were there before
	twice  float64 // the part of items that are added twice
	texts  int
	seeds  func(n int) [4]uint64 // nil: as they follow from the items
	digest string                // SHA-256 of the bytes of the index
}

// shapes are lists whose indexes must never change, because stores keep files of them.
// The digests come from the first Builder of version 1 of the format, which sorted all
// items, collected their sets, and wrote bucket by bucket.
var shapes = []shape{
	{name: "nothing", key: random, value: one,
		digest: "18a0218e691110154adc9df5f8d83a2d359e38f02f36e4ebbac50611a795b69f"},
	{name: "texts alone", key: random, value: one, texts: 1000,
		digest: "2b0a72a268309214b0ddcbce0b7f0ab5c2ed12082761b77478cdcae58cb060eb"},
	{name: "one key", n: 1, key: narrow, value: one,
		digest: "eaf617e64392895f205595bac94458d60b2add7676eacf0ce1d29736aa55e0e9"},
	{name: "one wide key", n: 1, key: wide, value: one, texts: 1,
		digest: "bb1aee39a55a85da94f2815822c6916a906beb7bd42a95d4f0f7d6e3503c8494"},
	{name: "a bucket", n: 8, key: narrow, value: few,
		digest: "279571b78afd3eb8b3148422bb5a055a76a13019ba161a43c4c023b6d9490163"},
	{name: "a bucket and one", n: 9, key: narrow, value: few,
		digest: "bde693b9dfa9b38b1341d666e11afbc487f543edd6f8f62ad306d111a4856fbf"},
	{name: "a thousand", n: 1000, key: narrow, value: few, texts: 16,
		digest: "7b4fceafcae690a0b8d3fae139e4fd84f42fd0cc702b011cfa77619140a7f33c"},
	{name: "a part", n: 1 << 13, key: narrow, value: few,
		digest: "2191322cbe2598f46d18fe0f7ee09a8c5194d5c7f3998f763869c1b3fbb8a2f9"},
	{name: "a part and one", n: 1<<13 + 1, key: narrow, value: few,
		digest: "adb81c1f8f412ca2dfee18ace2c6521c046ebaefc6ce9a31d2aaa02f88a0ce18"},
	{name: "narrow", n: 200_000, key: narrow, value: few, texts: 16,
		digest: "65386383bb18a4785aaad47bf304661147c47f0ea43dca2b515af6098b81a5c1"},
	{name: "narrow, one value", n: 20_000, key: narrow, value: one, texts: 1,
		digest: "5bb3f0a435a809a6a93a874dacb2aa0b56ea1daddbe96e47eb9c52b5f212a6ae"},
	{name: "narrow, each its own value", n: 20_000, key: narrow, value: own, texts: 100,
		digest: "08ea63eb336cb6869aca53689cd336e053ecf7a872f1b60dace3b61b8388d6f2"},
	{name: "narrow, many values", n: 20_000, key: narrow, value: many,
		digest: "637e4cd3ca26666f8288f920a24588df71c8f83f4e423118b7eab2e18bbd9b18"},
	{name: "wide", n: 20_000, key: wide, value: few,
		digest: "811140d411f4a82bd62bc10dc9515956e5e15d9f0e960bb24ab4f4582d991a1b"},
	{name: "both", n: 20_000, key: random, value: few,
		digest: "dc84c2b47a8f9fa552eae434387f5a686e1aa1da1991da425ee274e8abfb2d74"},
	{name: "both, repeated", n: 20_000, key: random, value: few, twice: 0.01,
		digest: "dc84c2b47a8f9fa552eae434387f5a686e1aa1da1991da425ee274e8abfb2d74"},
	{name: "both, several values", n: 20_000, key: random, value: few, again: 0.3,
		digest: "7d12eec7ee2a8d2663c46cc7fe94f360360a9481d11c7de1b68b438193be8a16"},
	{name: "both, all of it", n: 20_000, key: random, value: many, again: 0.3, twice: 0.3, texts: 100,
		digest: "8a6ba42a00b6d3f97bfb857740611c687dac8373dbc5f9b2bb937e0d55370a3e"},
	{name: "few keys, many values", n: 20_000, key: zeros, value: own, again: 0.9,
		digest: "47c3be92ee0fe0d19ec90fe023456a88302e997a20133b7d5a8e940650a9ffeb"},
	{name: "crowded, few values", n: 30_000, key: crowded, value: few, seeds: seeds,
		digest: "5d72f478212562aee222a9ea28013211112b04158ae5fd1405228decf87e5d13"},
	{name: "crowded, each its own value", n: 30_000, key: crowded, value: own, seeds: seeds,
		digest: "6a298f572344a11b4e0a7b6fc918b2671e95cb76b83acd1c3e3ef8c829794745"},
	{name: "crowded, all of it", n: 30_000, key: crowded, value: many, again: 0.1, twice: 0.1, seeds: seeds,
		digest: "5fb81e564708e1ff1406b1a8675ba6dd2e1891f08486742be9096d00077604df"},
	{name: "overfull, each its own value", n: 20_000, key: zeros, value: own, seeds: lateSeeds,
		digest: "aa00b2f87117c7951d2c3deb0e4900a0e59a2f964bd2098daa3816c8acbe4cbd"},
	{name: "overfull, all of it", n: 20_000, key: zeros, value: few, again: 0.2, twice: 0.1, seeds: lateSeeds,
		digest: "0d669d835b86e106b6cfd02a55db5535c4d19f3989db701f4fd5e095640ef2eb"},
	// The reason to start again is at the end of either table.
	{name: "repeated at the end", n: 300_000, key: last(2, 20, 2, narrow), value: own, seeds: seeds,
		digest: "07fa413bb2e965bd297b1e038891206b69fd9995fbd59229c026aa9f5dc88cb5"},
	{name: "repeated at the end, both", n: 100_000, key: last(2, 32, 2, either), value: own, seeds: seeds,
		digest: "8df0e3f6dd300cc982d189376852cca5cabdf196c4151329b7c449742ea691b6"},
	{name: "overfull at the end", n: 300_000, key: last(70, 20, 1, narrow), value: few, seeds: seeds,
		digest: "f6196cc2481a055d7d45ec80ad21aa249e3ab10057215d2ebf346c5214e1f8e1"},
	{name: "overfull at the end, both", n: 100_000, key: last(70, 32, 1, either), value: many, seeds: seeds,
		digest: "a5981b217813b15c77113184087b8ac4aef5035ece31131a30800a86cdda1b45"},
	{name: "repeated and overfull at the end", n: 100_000, key: last(140, 32, 2, either), value: own, seeds: seeds,
		digest: "410420ae531963c515f7598b5d35904a88f7735f31da2b535f55be9176c66f0f"},
}

func narrow(t testing.TB, r *rand.Rand, _ int) index.ID { return random20(t, r) }

func random(t testing.TB, r *rand.Rand, _ int) index.ID { return randomKey(t, r) }

func wide(t testing.TB, r *rand.Rand, _ int) index.ID {
	b := make([]byte, 21+r.IntN(12))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return key(t, 9, b)
}

// zeros returns keys that have one hash under zeroSeed, except the wide ones.
func zeros(t testing.TB, _ *rand.Rand, i int) index.ID {
	return key(t, uint16(i/33), make([]byte, i%33))
}

// crowded returns keys; 20 of a thousand have one hash under seeds(0), which is no more
// than a bucket holds.
func crowded(t testing.TB, r *rand.Rand, i int) index.ID {
	if i%1000 >= 20 {
		return randomKey(t, r)
	}
	b := binary.LittleEndian.AppendUint64(nil, seeds(0)[0])
	b = binary.LittleEndian.AppendUint64(b, uint64(i))
	b = binary.LittleEndian.AppendUint32(b, uint32(i/1000))
	return key(t, 3, b)
}

// either returns distinct keys for either table.
func either(t testing.TB, r *rand.Rand, i int) index.ID {
	if i%2 == 0 {
		return narrow(t, r, i)
	}
	return wide(t, r, i)
}

// last returns keys like other, except that n of a hundred thousand, each repeated, have
// one hash under seeds(0), which is so high that they are at the end of their table.
func last(n, bytes, times int, other func(testing.TB, *rand.Rand, int) index.ID) func(testing.TB, *rand.Rand, int) index.ID {
	w := uint32(0)
	return func(t testing.TB, r *rand.Rand, i int) index.ID {
		if i%100_000 >= n {
			return other(t, r, i)
		}
		b := make([]byte, bytes)
		binary.LittleEndian.PutUint64(b, seeds(0)[0])
		binary.LittleEndian.PutUint64(b[8:], uint64(i/times))
		for ; ; w++ {
			binary.LittleEndian.PutUint32(b[16:], w)
			if k := key(t, 3, b); index.HashWith(seeds(0), k)>>52 == 1<<12-1 {
				return k
			}
		}
	}
}

func one(*rand.Rand, int) uint32      { return 7 }
func few(r *rand.Rand, _ int) uint32  { return r.Uint32N(16) }
func own(_ *rand.Rand, i int) uint32  { return uint32(i) }
func many(r *rand.Rand, i int) uint32 { return r.Uint32N(uint32(i/8 + 1)) }

func seeds(n int) [4]uint64 {
	return [4]uint64{0x9e3779b97f4a7c15 + uint64(n), 0xbf58476d1ce4e5b9, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917}
}

// lateSeeds returns bad seeds twice, then good ones.
func lateSeeds(n int) [4]uint64 {
	if n < 2 {
		return zeroSeed
	}
	return [4]uint64{0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, uint64(n)}
}

// add adds a list to b.
func (s *shape) add(t testing.TB, b *index.Builder) {
	b.Tune(0, s.seeds)
	for i := range s.texts {
		b.Intern(strconv.Itoa(i * i))
	}
	r := rand.New(rand.NewPCG(uint64(s.n), 1))
	var keys []index.ID
	for i := range s.n {
		k := s.key(t, r, i)
		if i > 0 && r.Float64() < s.again {
			k = keys[r.IntN(i)]
		}
		keys = append(keys, k)
		v := s.value(r, i)
		b.Add(k, v)
		if r.Float64() < s.twice {
			b.Add(k, v)
		}
	}
}

func TestGolden(t *testing.T) {
	largest := longtest.N(30_000, 300_000)
	if longtest.Race {
		largest = 10_000
	}
	for i := range shapes {
		s := &shapes[i]
		if s.n > largest && (i < len(shapes)-1 || longtest.Race) {
			continue // smaller shapes and the last one check the same
		}
		var b index.Builder
		s.add(t, &b)
		ix, err := b.Build()
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if err := ix.Verify(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if got := sha256.Sum256(image(t, ix)); hex.EncodeToString(got[:]) != s.digest {
			t.Errorf("%s: other bytes, with digest %x", s.name, got)
		}
		ix.Close()
		if s.n > longtest.N(10_000, s.n) {
			continue
		}
		s.add(t, &b)
		path := filepath.Join(t.TempDir(), "index")
		if err := b.WriteFile(path); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != s.digest {
			t.Errorf("%s: another file, with digest %x", s.name, got)
		}
	}
}
