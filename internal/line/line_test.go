package line

import (
	"slices"
	"testing"
)

// TestLine changes each byte of a line: it is damaged.
func TestLine(t *testing.T) {
	text := []byte(`{"type":"checked","reason":"a b"}`)
	l, sum := Format(2044, text)
	if got, ok := Parse(append(slices.Clone(l), '\n')); !ok || got.Seq != 2044 || got.Sum != sum || string(got.Text) != string(text) {
		t.Errorf("%s: %+v, %v", l, got, ok)
	}
	for i := range l {
		for _, bit := range []byte{1, 4, 64} {
			other := slices.Clone(l)
			other[i] ^= bit
			if got, ok := Parse(other); ok {
				t.Errorf("byte %d: %s is %+v", i, other, got)
			}
		}
		if _, ok := Parse(l[:i]); ok {
			t.Errorf("cut at %d", i)
		}
		if _, ok := Parse(l[i+1:]); ok {
			t.Errorf("begins at %d", i+1)
		}
	}
}
