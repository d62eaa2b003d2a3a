package index_test

import (
	"bytes"
	"testing"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestIntern interns texts that fill the memory of a Builder in all ways: to its last
// byte, beyond it, and much larger, with empty and repeated ones between them.
func TestIntern(t *testing.T) {
	const piece = 4 << 20
	var b index.Builder
	var want []string
	sizes := []int{1, 0, 100, piece / 2, piece/2 - 101, 1, piece, 7, 2*piece + 5, 3}
	if longtest.Enabled() {
		sizes = append(sizes, piece-3, piece-7, 3, piece-2, 2*piece+5, piece-5, 1, 3*piece, piece+1, 9)
	}
	for i, size := range sizes {
		text := string(bytes.Repeat([]byte{'a' + byte(i)}, size))
		want = append(want, text)
		for range 2 {
			if n := b.Intern(text); n != uint32(i) {
				t.Fatalf("text %d of %d bytes has the number %d", i, size, n)
			}
		}
	}
	want = append(want, "added", want[2]) // which Intern does not find
	for _, text := range want[len(sizes):] {
		b.AddText([]byte(text))
		b.PrefetchText(text)
	}
	if b.Texts() != len(want) || b.Intern(want[2]) != 2 {
		t.Errorf("%d texts, want %d, or another text 2", b.Texts(), len(want))
	}
	for i := range 3000 {
		text := string(bytes.Repeat([]byte{byte(i), byte(i >> 8), 'z'}, 1000))
		want = append(want, text)
		b.Intern(text)
	}
	check := func(of interface{ Text(uint32) (string, error) }) {
		t.Helper()
		for i, text := range want {
			if got, err := of.Text(uint32(i)); err != nil || got != text {
				t.Errorf("text %d of %d bytes is one of %d, %v", i, len(text), len(got), err)
			}
		}
	}
	check(&b)
	b.Add(index.ID20(1, new([20]byte)), 0)
	ix, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	check(ix)
	if err := ix.Verify(); err != nil || ix.Texts() != len(want) {
		t.Errorf("%d texts, want %d, %v", ix.Texts(), len(want), err)
	}
}
