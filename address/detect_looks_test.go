package address

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLooks writes the smallest payload of each codec, the largest and random ones, and looks for
// texts that it reads and that a glance takes for none of its texts.
func TestLooks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	tried, provable := 0, 0
	for i := range chains {
		for j := range chains[i].codecs {
			c := &chains[i].codecs[j]
			if c.use == testers || c.evm || c.size == 0 {
				continue // not among the candidates, once for all chains, or of no known size
			}
			for n := range 60 {
				payload := make([]byte, c.size)
				for b := range payload {
					payload[b] = [...]byte{0, 0xff, byte(rnd.Uint32())}[min(n, 2)]
				}
				s := string(c.enc.write(nil, c, payload))
				rd := newReader(s, false)
				isText := s != "" && len(s) <= maxDiagnosed && c.read(rd).err == nil
				rd.free()
				if !isText {
					continue
				}
				tried++
				fitting := func(l *look) bool {
					return l.row == uint16(i+1) && l.form == form(j) && fits(s, classesOf(s), l)
				}
				if !slices.ContainsFunc(looks[s[0]], fitting) {
					t.Fatalf("%s: a glance at %s does not find its codec, %d", chains[i].slug, s, j)
				}
				if c.bounds().proves {
					provable++
					if !mayProve(s[0], len(s)) {
						t.Fatalf("%s: %s proves itself, but mayProve says no", chains[i].slug, s)
					}
				}
			}
		}
	}
	if tried < 10_000 || provable < 5_000 {
		t.Errorf("tried %d texts, %d of them with a proof: too few", tried, provable)
	}
}
