package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestKeysCommand makes, lists, rotates and revokes keys while the server runs.
func TestKeysCommand(t *testing.T) {
	for name, db := range map[string]func() (db string, flags []string){
		"SQLite": func() (string, []string) {
			dir := t.TempDir()
			return "sqlite:" + filepath.Join(dir, dbFile), []string{"-data", dir}
		},
		"PostgreSQL": func() (string, []string) {
			db := postgrestest.URL(t)
			return db, []string{"-db", db}
		},
	} {
		t.Run(name, func(t *testing.T) {
			db, flags := db()
			s := start(t, flags...)
			defer s.stop()
			expect := func(key string, want int, code string) {
				t.Helper()
				s.key = key
				if status, a := s.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status != want || a.Code != code {
					t.Errorf("it is answered with %d %s, want %d %s", status, a.Code, want, code)
				}
			}
			// eventually is for what is in force when the server has read it again.
			eventually := func(key string, want int) {
				t.Helper()
				s.key = key
				for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
					if status, _ := s.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status == want {
						return
					}
				}
				t.Errorf("it is never answered with %d", want)
			}
			expect(s.key, 200, "") // the first

			token := keysOf(t, db, "create", "-id", "acme", "-name", "Acme Ltd", "-quota", "2", "-scopes", "screen usage", "-expires", "2999-12-31", "-rate", "100", "-burst", "100")
			if !regexp.MustCompile(`^wsk_acme_[A-Z2-7]{52}$`).MatchString(token) {
				t.Errorf("create has written %q, want a token and nothing else", token)
			}
			expect(token, 200, "")
			expect(token, 200, "")
			expect(token, 429, "quota_exceeded")

			list := keysOf(t, db, "list")
			if !regexp.MustCompile(`(?m)^ID +NAME +STATE .*\nacme +Acme Ltd +good +screen usage +2 +2 +100/s, 100 at once +\d{4}-\d\d-\d\d +2999-12-31 +-\nfirst +made by the first start +good +screen sources usage validate +- `).MatchString(list) {
				t.Errorf("the list is\n%s", list)
			}
			if strings.Contains(list, token[len(token)-52:]) {
				t.Error("the list tells the secret")
			}

			other := keysOf(t, db, "create")
			rotated := keysOf(t, db, "rotate", strings.Split(other, "_")[1], "-overlap", "1h")
			expect(other, 200, "")
			expect(rotated, 200, "")
			last := keysOf(t, db, "rotate", "-overlap", "0s", strings.Split(other, "_")[1])
			eventually(last, 200)
			eventually(rotated, 401)

			keysOf(t, db, "revoke", strings.Split(last, "_")[1])
			eventually(last, 401)
			keysOf(t, db, "revoke", strings.Split(last, "_")[1]) // again
			if list := keysOf(t, db, "list"); strings.Count(list, " revoked ") != 1 {
				t.Errorf("one key should be revoked in\n%s", list)
			}
		})
	}
}

func TestKeysCommandErrors(t *testing.T) {
	db := "sqlite:" + filepath.Join(t.TempDir(), "db")
	keysOf(t, db, "create", "-id", "here")
	keysOf(t, db, "create", "-id", "gone")
	keysOf(t, db, "revoke", "gone")
	for _, tt := range []struct {
		args string
		want string // in the error
	}{
		{"", flag.ErrHelp.Error()},
		{"help", flag.ErrHelp.Error()},
		{"create -help", flag.ErrHelp.Error()},
		{"delete x -db DB", "not \"delete\""},
		{"list", "where?"},
		{"list x -db DB", "unexpected argument \"x\""},
		{"list -quota 1 -db DB", "not defined"},
		{"list -db mysql://u:hunter2@h/d", "want sqlite:FILE or postgres://"},
		{"list -db postgres://u:hunter2@127.0.0.1:none/d", "want a URL"},
		{"create -id here -db DB", "key here already"},
		{"create -id h\x01re -db DB", "id"},
		{"create -quota -1 -db DB", "Quota is negative"},
		{"create -rate 1 -db DB", "Rate needs a Burst"},
		{"create -scopes read -db DB", "scope \"read\""},
		{"create -scopes= -db DB", "no scope"},
		{"create -expires tomorrow -db DB", "want a day"},
		{"rotate -db DB", "id is missing"},
		{"rotate nobody -db DB", "no such key"},
		{"rotate gone -db DB", "is revoked"},
		{"rotate here -overlap -1s -db DB", "negative overlap"},
		{"rotate here there -db DB", "unexpected argument \"there\""},
		{"revoke nobody -db DB", "no such key"},
	} {
		var stdout, stderr bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(tt.args, "DB", db))
		err := runKeys(context.Background(), args, func(string) string { return "" }, &stdout, &stderr)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error()+stderr.String(), "hunter2") || stdout.Len() > 0 {
			t.Errorf("keys %s: %v, %q, want an error with %q", tt.args, err, stdout.String(), tt.want)
		}
		if help := strings.Contains(stderr.String(), "server keys create"); errors.Is(err, flag.ErrHelp) && !help {
			t.Errorf("keys %s: no help is shown: %s", tt.args, stderr.String())
		}
	}
	// What is not said by a flag is taken from the environment.
	var stdout bytes.Buffer
	getenv := func(name string) string { return map[string]string{"WALLETSCREEN_DB": db}[name] }
	if err := runKeys(context.Background(), []string{"list"}, getenv, &stdout, &stdout); err != nil || !strings.Contains(stdout.String(), "\nhere ") {
		t.Errorf("keys list: %v, %s", err, stdout.String())
	}
}

// TestFirstKeyIsShown holds that no key is made which nobody is shown, as when the
// server cannot start.
func TestFirstKeyIsShown(t *testing.T) {
	dir := t.TempDir()
	running := start(t)
	defer running.stop()
	err := run(context.Background(), []string{"-offline", "-data", dir, "-addr", strings.TrimPrefix(running.url, "http://")}, func(string) string { return "" }, new(bytes.Buffer))
	if err == nil {
		t.Fatal("two servers listen at one address")
	}
	s := start(t, "-data", dir)
	if s.key == "<API_KEY>" {
		t.Error("a key was made that was not shown")
	}
	s.stop()
}

// TestStopReturnsLeases holds that a server which is stopped leaves exactly what was
// used in the database.
func TestStopReturnsLeases(t *testing.T) {
	dir := t.TempDir()
	db := "sqlite:" + filepath.Join(dir, dbFile)
	token := keysOf(t, db, "create", "-id", "acme", "-quota", "10000")
	s := start(t, "-data", dir)
	s.key = token
	for range 3 {
		if status, _ := s.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status != 200 {
			t.Errorf("it is answered with %d", status)
		}
	}
	if err := s.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	if list := keysOf(t, db, "list"); !regexp.MustCompile(`(?m)^acme +good .* 10000 +3 +- +\S+ +- +\d{4}-\d\d-\d\dT\d\d:\d\dZ$`).MatchString(list) {
		t.Errorf("want 3 used of 10000, and when, in\n%s", list)
	}
}

// TestKeysCommandTellsWhere: a token goes to standard output alone, and to standard
// error in which database the keys are, in the words of who has named it.
func TestKeysCommandTellsWhere(t *testing.T) {
	db := filepath.Join(t.TempDir(), "other.db")
	var stdout, stderr bytes.Buffer
	err := runKeys(context.Background(), []string{"create", "-db", "sqlite:" + db}, func(string) string { return "" }, &stdout, &stderr)
	if err != nil || !strings.HasPrefix(stdout.String(), "wsk_") || strings.Count(stdout.String(), "\n") != 1 || !strings.Contains(stderr.String(), db) {
		t.Errorf("%v, wrote %q and %q, want one token, and %s", err, stdout.String(), stderr.String(), db)
	}
}
