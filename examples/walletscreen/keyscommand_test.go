package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestKeysCommand makes, lists, rotates and revokes keys while the server runs.
func TestKeysCommand(t *testing.T) {
	t.Parallel()
	for name, db := range map[string]func() (db string, flags []string){
		"SQLite": func() (string, []string) {
			dir := t.TempDir()
			return "sqlite:" + filepath.Join(dir, dbFile), append(shortest, "-data", dir)
		},
		"PostgreSQL": func() (string, []string) {
			db := postgrestest.URL(t)
			return db, append(shortest, "-db", db)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
			// eventually waits for the status that follows when the server reads the keys again.
			eventually := func(key string, want int) {
				t.Helper()
				s.key = key
				for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
					if status, _ := s.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status == want {
						return
					}
				}
				t.Errorf("it is never answered with %d", want)
			}
			expect(s.key, 200, "") // the first

			token := keysOf(
				t,
				db,
				"create",
				"-id",
				"acme",
				"-name",
				"Acme Ltd",
				"-quota",
				"2",
				"-scopes",
				"screen usage",
				"-expires",
				"2999-12-31",
				"-rate",
				"100",
				"-burst",
				"100",
			)
			if !regexp.MustCompile(`^wsk_acme_[A-Z2-7]{52}$`).MatchString(token) {
				t.Errorf("create has written %q, want a token and nothing else", token)
			}
			expect(token, 200, "")
			expect(token, 200, "")
			expect(token, 429, "quota_exceeded")

			list := squeezed(keysOf(t, db, "list"))
			if !regexp.MustCompile(`(?m)^ID +NAME +STATE .*\nacme +Acme Ltd +valid +screen usage +2 +2 +100/s, 100 at once +\d{4}-\d\d-\d\d +2999-12-31 ` +
				`+-\nfirst +made by the first start +valid +all +- `).
				MatchString(list) {
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
	dir := t.TempDir()
	start(t, append(shortest, "-data", dir)...).stop()
	db := "sqlite:" + filepath.Join(dir, dbFile)
	keysOf(t, db, "create", "-id", "here")
	keysOf(t, db, "create", "-id", "gone")
	keysOf(t, db, "revoke", "gone")
	for _, tt := range []struct {
		args string
		want string // in the error
	}{
		{"", "which command? Want create, list, set, rotate or revoke"},
		{"-db DB", "keys: which command? Want create, list, set, rotate or revoke, and flags behind it"},
		{"delete x -db DB", `unknown command "keys delete"`},
		{"creat -db DB", "did you mean create?"},
		{"list", "keys list: want -data or -db, the same as for serve"},
		{"list x -db DB", "keys list: unexpected argument \"x\""},
		{"list -quota 1 -db DB", "unknown flag -quota"},
		{"list -db mysql://u:hunter2@h/d", "want sqlite:FILE or postgres://"},
		{"list -db postgres://u:hunter2@127.0.0.1:none/d", "want a URL"},
		{"list -data " + dir + "x", "there is no database " + dir + "x/" + dbFile},
		{"create -id here -db DB", "keys create: there is a key here already"},
		{"create -id h\x01re -db DB", "id"},
		{"create -quota -1 -db DB", "-quota: want a number from 1, or none"},
		{"create -rate 1 -db DB", "keys create: -rate needs -burst"},
		{"create -burst 1 -db DB", "keys create: -burst needs -rate"},
		{"create -burst 1 -rate none -db DB", "keys create: -burst needs -rate"},
		{"create -rate fast -burst 1 -db DB", "-rate: want a number above 0, or none"},
		{"create -scopes read -db DB", "scope \"read\""},
		{"create -scopes ,, -db DB", "keys create: -scopes: the value is empty"},
		{"set here -scopes , -db DB", "keys set: -scopes: the value is empty"},
		{"create -expires 0001-01-01 -db DB", "-expires: want a day"},
		{"create -expires 1969-12-31 -force -db DB", "-expires: want a day"},
		{"create -expires 2020-01-01 -db DB", "-expires 2020-01-01 is in the past"},
		{"set here -expires 2020-01-01T00:00:00Z -db DB", "in the past"},
		{"create -expires tomorrow -db DB", "-expires: want a day such as 2027-12-31"},
		{"set here -db DB", "want a setting to change: -name, -quota"},
		{"set nobody -name x -db DB", `there is no key "nobody"`},
		{"set hree -name x -db DB", `there is no key "hree"; did you mean here?`},
		{"rotate -db DB", "keys rotate: want the ID of a key"},
		{"rotate nobody -db DB", `there is no key "nobody"`},
		{"rotate gone -db DB", "key gone is revoked"},
		{"rotate here -overlap -1s -db DB", "-overlap: want a time"},
		{"rotate here there -db DB", "unexpected argument \"there\""},
		{"revoke nobody -db DB", `there is no key "nobody"`},
		{"revoke wsk_here_SKDVBIEEFEACBQNNVKG3HMTQEFJRNUHB4AB6JFW5MVYVJNUBZPG6 -db DB", "keys revoke: that is a token, which is secret; want the ID in it, \"here\""},
	} {
		args := strings.Fields(strings.ReplaceAll(tt.args, "DB", db))
		code, stdout, stderr := call(t, "", append([]string{"keys"}, args...)...)
		if code != 2 || !strings.Contains(stderr, tt.want) || strings.Contains(stderr, "hunter2") || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("keys %s: exit code %d, %q, %q, want an error with %q", tt.args, code, stderr, stdout, tt.want)
		}
	}
	for _, flag := range []string{"-scopes", "-quota", "-rate", "-expires", "-name"} {
		for _, empty := range []string{"", " ", ", ,"} {
			code, stdout, stderr := call(t, "", "keys", "create", "-db", db, flag, empty)
			if code != 2 || stdout != "" || !strings.Contains(stderr, flag+": the value is empty") {
				t.Errorf("keys create %s %q: exit code %d, %q, %q", flag, empty, code, stderr, stdout)
			}
		}
	}
	for _, args := range []string{"help", "keys -help", "keys create -help", "help keys create", "keys rotate here -help"} {
		code, stdout, stderr := call(t, "", strings.Fields(args)...)
		if code != 0 || stdout == "" || stderr != "" {
			t.Errorf("%s: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
	if _, err := os.Stat(dir + "x"); err == nil {
		t.Error("a mistyped -data was made")
	}
	code, stdout, stderr := callIn(t, []string{"WALLETSCREEN_DB=" + db}, "", "keys", "list")
	if code != 0 || !strings.Contains(stdout, "\nhere ") {
		t.Errorf("keys list: %s, %s", stdout, stderr)
	}
}

// Settings of a key that exists are changed; those that no flag names stay.
func TestKeysSet(t *testing.T) {
	dir := t.TempDir()
	start(t, append(shortest, "-data", dir)...).stop()
	db := "sqlite:" + filepath.Join(dir, dbFile)
	keysOf(t, db, "create", "-id", "acme", "-name", "Acme Ltd", "-quota", "5", "-rate", "2", "-burst", "4")
	row := func() string {
		return regexp.MustCompile(`(?m)^acme.*$`).FindString(squeezed(keysOf(t, db, "list")))
	}
	for _, tt := range []struct{ flags, want string }{
		{"-quota 12000", "acme Acme Ltd valid screen sources usage validate 12,000 0 2/s, 4 at once "},
		{"-burst 9 -scopes usage,screen", "acme Acme Ltd valid screen usage 12,000 0 2/s, 9 at once "},
		{"-rate none -quota none -scopes all -name Acme", "acme Acme valid all - 0 - "},
		{"-rate 2 -burst 4", "acme Acme valid all - 0 2/s, 4 at once "},
		{"-burst none", "acme Acme valid all - 0 - "},
		{"-expires 2020-01-01 -force", "acme Acme expired "},
		{"-expires never", "acme Acme valid "},
	} {
		keysOf(t, db, append([]string{"set", "acme"}, strings.Fields(tt.flags)...)...)
		if got := row(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.flags, got, tt.want)
		}
	}
	var key jsonKey
	if err := json.Unmarshal([]byte(strings.Split(keysOf(t, db, "list", "-json"), "\n")[0]), &key); err != nil || key.ID != "acme" || key.State != "valid" {
		t.Error(key, err)
	}
}

// A new key may neither see the operator's own lists nor screen with earlier ones unless it was
// said, and the command says what it gave.
func TestKeysCreateScopes(t *testing.T) {
	dir := t.TempDir()
	start(t, append(shortest, "-data", dir)...).stop()
	for scopes, want := range map[string]string{
		"-name=x": "screen sources usage validate", "-scopes=all": access.AllScopes(), "-scopes=past,screen": "past screen",
	} {
		code, _, stderr := call(t, "", "keys", "create", "-data", dir, scopes)
		if code != 0 || !strings.Contains(stderr, " with the scopes "+want+" was created in ") {
			t.Errorf("%s: exit code %d, %s", scopes, code, stderr)
		}
	}
	if list := squeezed(keysOf(t, "sqlite:"+filepath.Join(dir, dbFile), "list")); strings.Count(list, " screen sources usage validate ") != 1 {
		t.Errorf("want one key without own and past:\n%s", list)
	}
}

// TestFirstKeyIsShown checks that no key is made without showing it, as when the
// server cannot start.
func TestFirstKeyIsShown(t *testing.T) {
	dir := t.TempDir()
	first := start(t, shortest...)
	defer first.stop()
	err := run(context.Background(), []string{"-offline", "-data", dir, "-addr", strings.TrimPrefix(first.url, "http://")}, new(bytes.Buffer))
	if err == nil {
		t.Fatal("two servers listen at one address")
	}
	s := start(t, append(shortest, "-data", dir)...)
	if s.key == "<API_KEY>" {
		t.Error("a key was made that was not shown")
	}
	s.stop()
}

// TestStopReturnsLeases checks that a server that is stopped leaves exactly what was
// used in the database.
// A folder of -data that is not there is made beside -db, too, and gets the first key.
func TestFirstKeyBesideDatabase(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "new", "data")
	s := start(t, append(shortest, "-db", "sqlite:"+filepath.Join(dir, "keys.db"), "-data", data)...)
	defer s.stop()
	text, err := os.ReadFile(filepath.Join(data, "first-key"))
	if err != nil || !strings.HasPrefix(string(text), "wsk_first_") {
		t.Errorf("%q, %v\n%s", text, err, s.log())
	}
}

// A lateStore has the keys that there were when it was opened.
type lateStore struct{ access.Store }

func (lateStore) Keys(context.Context) ([]access.Key, error) { return nil, nil }

// TestFirstKeys makes the first key in a directory whose file others can read. A server that starts at the
// same time, and is slower, leaves the file as it is.
func TestFirstKeys(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	name := filepath.Join(dir, "first-key")
	if err := os.WriteFile(name, []byte("a longer text than the secret, of another database"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := &serveOptions{lists: listOptions{data: dir}}
	var token string
	for i, late := range []bool{false, true} {
		k, err := openKeys(ctx, o.lists.db, o.lists.data, o.keys, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if late {
			k.store = lateStore{k.store}
		}
		if err := k.first(ctx, false); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		info, err2 := os.Stat(name)
		if err := errors.Join(err, err2); err != nil || info.Mode().Perm() != 0o600 || late && string(text) != token || !strings.HasPrefix(string(text), "wsk_first_") {
			t.Errorf("server %d: %q, %v, %v", i, text, info, err)
		}
		token = string(text)
		if err := k.close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := filepath.Glob(name + "-*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestStopReturnsLeases(t *testing.T) {
	dir := t.TempDir()
	db := "sqlite:" + filepath.Join(dir, dbFile)
	s := start(t, append(shortest, "-data", dir)...)
	token := keysOf(t, db, "create", "-id", "acme", "-quota", "10000")
	s.key = token
	for range 3 {
		if status, _ := s.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status != 200 {
			t.Errorf("it is answered with %d", status)
		}
	}
	if err := s.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	if list := squeezed(keysOf(t, db, "list")); !regexp.MustCompile(`(?m)^acme +valid .* 10,000 +3 +- +\S+ +- +\d{4}-\d\d-\d\dT\d\d:\d\dZ$`).MatchString(list) {
		t.Errorf("want 3 used of 10000, and when, in\n%s", list)
	}
}

// A token is alone on the standard output; the standard error says which database has
// the key.
func TestKeysCommandWhere(t *testing.T) {
	dir := t.TempDir()
	start(t, append(shortest, "-data", dir)...).stop()
	code, stdout, stderr := call(t, "", "keys", "create", "-data", dir)
	if code != 0 || !strings.HasPrefix(stdout, "wsk_") || strings.Count(stdout, "\n") != 1 || !strings.Contains(stderr, filepath.Join(dir, dbFile)) {
		t.Errorf("exit code %d, %q and %q", code, stdout, stderr)
	}
}

// TestKeysListCounts checks that keys list counts all that a server has answered just now,
// beyond that at most the block that it holds, and exactly what was answered once it ended.
func TestKeysListCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := access.NewMemory()
		keys := []access.Key{{ID: "a"}}
		ring := access.New(store, nil)
		for range 7 {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
			if _, _, err := ring.Charge(r, httpapi.Caller{ID: "a", Quota: 1000}, 1, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, ahead := range []int64{50, 0} {
			if got, err := usedOf(t.Context(), store, keys); err != nil || got[0] < 7 || got[0] > 7+ahead {
				t.Errorf("used are %d, %v; want 7, or %d more", got, err, ahead)
			}
			if err := ring.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}
