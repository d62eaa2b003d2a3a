package httpapi

import (
	"fmt"
	"testing"
	"time"
)

// TestClientsAreBounded checks that at most maxNames addresses are remembered, and that
// a client that has used up its requests is not forgotten before those that are idle.
func TestClientsAreBounded(t *testing.T) {
	var c limits
	now := time.Now()
	ask := func(client string, want bool) {
		t.Helper()
		if _, wait := c.allow(client, 1, 2, now); (wait == 0) != want {
			t.Fatalf("%s must wait %d, want allowed: %v", client, wait, want)
		}
	}
	for i := range maxNames/2 + 1000 {
		ask(fmt.Sprint("idle ", i), true)
	}
	now = now.Add(time.Second)
	for _, want := range []bool{true, true, false} {
		ask("busy", want)
	}
	for i := range maxNames / 2 {
		ask(fmt.Sprint("new ", i), true)
		if n := len(c.byName); n > maxNames {
			t.Fatalf("%d clients are remembered, want at most %d", n, maxNames)
		}
	}
	ask("busy", false)
	ask("new 0", true)
	ask("new 0", false)
	if n := len(c.byName); n > maxNames*3/4 {
		t.Errorf("%d clients are remembered, want at most %d", n, maxNames*3/4)
	}

	// If none is idle, any is forgotten.
	for i := range maxNames / 2 {
		ask(fmt.Sprint("newer ", i), true)
		if n := len(c.byName); n > maxNames {
			t.Fatalf("%d clients are remembered, want at most %d", n, maxNames)
		}
	}
}
