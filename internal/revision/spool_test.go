package revision_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// TestSpool reads entries back, in their order, over several pieces and dictionaries. An entry that
// cannot be written leaves the others.
func TestSpool(t *testing.T) {
	var s revision.Spool
	for e := range s.Drain() {
		t.Errorf("an empty Spool has %+v", e)
	}
	var want []sources.Entry
	for i := range 70_000 {
		e := entries[i%len(entries)]
		e.Name = fmt.Sprintf("%0200d", i)
		want = append(want, e)
		if err := s.Add(&e); err != nil {
			t.Fatal(err)
		}
	}
	long := entries[0]
	long.Name = strings.Repeat("x", 1<<17)
	if err := s.Add(&long); err == nil {
		t.Error("no error about a name of 128 KiB")
	}
	n := 0
	for e, err := range s.Drain() {
		if err != nil || e != want[n] {
			t.Fatalf("entry %d is %+v, %v, want %+v", n, e, err, want[n])
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d entries, want %d", n, len(want))
	}
	for e := range s.Drain() {
		t.Errorf("a drained Spool has %+v", e)
	}
}
