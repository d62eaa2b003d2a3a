//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// Processes that are killed at any moment lose no message, and repeat with the same ID.
func TestWatchKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(name+".new", []byte(text), 0o600), os.Rename(name+".new", name)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	customers := write("customers.csv", "id,address\na,"+evm(1)+"\nb,"+evm(2)+"\nc,"+evm(3)+"\n")
	own := write("own.txt", evm(1)+"\n")
	hook := newReceiver(t)
	hook.secret = filepath.Join(dir, "data", "webhook-secret")
	run := func() *exec.Cmd {
		t.Helper()
		cmd := exec.Command(os.Args[0], append([]string{"serve", "-addr", "127.0.0.1:0", "-offline", "-data", filepath.Join(dir, "data"),
			"-list", "OWN=" + own, "-book", customers, "-webhook", hook.URL}, shortest...)...)
		cmd.Env = processEnv("10s")
		if testing.Verbose() {
			cmd.Stderr = os.Stderr
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return cmd
	}
	state := func() (s string) {
		db, err := sql.Open("sqlite", filepath.Join(dir, "data", dbFile))
		if err != nil {
			return ""
		}
		defer db.Close()
		db.QueryRowContext(t.Context(), `select digest from walletscreen_outbox_state where name = 'book'`).Scan(&s)
		return s
	}
	until := func(what string, reached func() bool) {
		t.Helper()
		for end := time.Now().Add(5 * time.Minute); !reached(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never %s", what)
			}
		}
	}
	kill := func(cmd *exec.Cmd) {
		cmd.Process.Kill()
		cmd.Wait()
	}
	first := run()
	until("ready", func() bool { _, err := os.Stat(filepath.Join(dir, "data", "first-key")); return err == nil })
	until("a state", func() bool { return state() != "" })
	kill(first)
	before := state()

	write("own.txt", evm(2)+"\n"+evm(3)+"\n")
	for _, moment := range []time.Duration{50 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond} {
		cmd := run()
		time.Sleep(moment)
		kill(cmd)
	}
	second := run()
	until("another state", func() bool { return state() != before })
	until("an attempt", func() bool { hook.mu.Lock(); defer hook.mu.Unlock(); return len(hook.got) == 3 })
	kill(second)
	hook.work()
	run()
	want := []string{"a 100>0 removed OWN ", "b 0>100 added OWN ", "c 0>100 added OWN "}
	if d := cmp.Diff(want, hook.wait(t, 3)); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	until("no message waits", func() bool {
		db, err := sql.Open("sqlite", filepath.Join(dir, "data", dbFile))
		if err != nil {
			return false
		}
		defer db.Close()
		var n int
		err = db.QueryRowContext(t.Context(), `select count(*) from walletscreen_outbox where ended = 0`).Scan(&n)
		return n == 0 && err == nil
	})
	hook.mu.Lock()
	if len(hook.got) != 3 {
		t.Errorf("messages came under other IDs: %v", hook.got)
	}
	hook.mu.Unlock()

	// Once more, at many moments, with a list that changes each time and a receiver that
	// works now and then. The changes that were accepted lead from the first verdict of
	// each customer to the last, so none is missing.
	sum := func() map[string]int {
		hook.mu.Lock()
		defer hook.mu.Unlock()
		total := map[string]int{}
		for id := range hook.accepted {
			var m message
			json.Unmarshal([]byte(hook.said[id]), &m)
			total[m.Data.Customer] += m.Data.After.Score - m.Data.Before.Score
		}
		return total
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range longtest.N(1, 12) {
		text := "# nobody\n"
		for n := 1; n <= 3; n++ {
			if random.IntN(2) == 0 {
				text += evm(n) + "\n"
			}
		}
		write("own.txt", text)
		hook.mu.Lock()
		hook.works, hook.patience = random.IntN(2) == 0, 1 // it backs off for five seconds at most
		hook.mu.Unlock()
		cmd := run()
		time.Sleep(time.Duration(random.IntN(800)) * time.Millisecond)
		kill(cmd)
	}
	write("own.txt", evm(1)+"\n"+evm(3)+"\n")
	hook.work()
	run()
	until("a message for each change", func() bool {
		got := sum() // from the first start on, when a was listed
		return got["a"] == 0 && got["b"] == 0 && got["c"] == 100
	})
}
