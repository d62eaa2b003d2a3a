package sqlstore_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/sqlstore"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/postgres"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
)

// TestReopen checks that the next process finds the stored data and does not repeat
// migrations.
func TestReopen(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		at := d.new(t)
		for i := range int64(3) {
			s := d.must(t, at)
			k := access.Key{ID: "a", Secret: [32]byte{1}, Version: i}
			if err := s.PutKey(t.Context(), k); err != nil {
				t.Errorf("open %d: %v", i, err)
			}
			if _, leased, _, err := s.Lease(t.Context(), "a", month, 2, limit); err != nil || leased != 2*(i+1) {
				t.Errorf("open %d: leased is %d, %v", i, leased, err)
			}
			var migrations int
			if err := s.DB().QueryRow(`select count(*) from walletscreen_migration`).Scan(&migrations); err != nil || migrations != 3 {
				t.Errorf("open %d: %d migrations, %v", i, migrations, err)
			}
		}
	})
}

// TestSchemaGolden checks that no migration has changed: databases with the old one
// would be refused.
func TestSchemaGolden(t *testing.T) {
	want, err := os.ReadFile("testdata/schema.golden")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("schema/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%x  %s\n", sha256.Sum256(file), filepath.ToSlash(name))
	}
	if got.String() != string(want) {
		t.Errorf("the migrations are\n%swant\n%s", got.String(), want)
	}
}

// TestRefused opens databases that this version has not made.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name, statement string
		want            error
	}{
		{"newer", `insert into walletscreen_migration (version, digest, applied) values (4, '', 0)`, sqlstore.ErrNewer},
		{"made by something else", `update walletscreen_migration set digest = 'x' where version = 1`, sqlstore.ErrDamaged},
		{"migration missing", `update walletscreen_migration set version = 4 where version = 1`, sqlstore.ErrNewer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, d database) {
				at := d.new(t)
				if _, err := d.must(t, at).DB().Exec(tt.statement); err != nil {
					t.Fatal(err)
				}
				s, err := d.open(t.Context(), at)
				if s != nil || !errors.Is(err, tt.want) {
					t.Errorf("opened with %v, want %v", err, tt.want)
				}
			})
		})
	}
}

// TestDamagedRow checks that a row that was edited by hand does not authorize a token.
func TestDamagedRow(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		s := d.must(t, d.new(t))
		ctx := t.Context()
		for _, set := range []string{
			`secret = 'ab'`, `secret = ''`, `previous = 'x'`, `previous_ends = 1`, `scopes = 'usage screen'`, `scopes = 'x'`, `quota = -1`,
			`rate = 1`, `version = -1`, `created = -1`, `expires = 9000000000000000000`,
		} {
			if _, err := s.DB().Exec(`delete from walletscreen_key`); err != nil {
				t.Fatal(err)
			}
			if err := s.PutKey(ctx, access.Key{ID: "a", Secret: [32]byte{1}}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.DB().Exec(`update walletscreen_key set ` + set); err != nil {
				t.Fatal(err)
			}
			if k, err := s.Key(ctx, "a"); !errors.Is(err, sqlstore.ErrDamaged) || k != (access.Key{}) {
				t.Errorf("%s: the key is %+v, %v; want ErrDamaged", set, k, err)
			}
			if all, err := s.Keys(ctx); !errors.Is(err, sqlstore.ErrDamaged) || len(all) > 0 {
				t.Errorf("%s: keys are %+v, %v; want ErrDamaged", set, all, err)
			}
		}
	})
}

// TestDamagedFile opens damaged SQLite files.
func TestDamagedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "db")
	s, err := sqlite.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		damage func(b []byte) []byte
	}{
		{"another file", func([]byte) []byte { return []byte(strings.Repeat("no database at all. ", 1000)) }},
		{"cut short", func(b []byte) []byte { return b[:len(b)/2] }},
		{"a page of zeros", func(b []byte) []byte { clear(b[3*4096 : 4*4096]); return b }},
	} {
		name := filepath.Join(t.TempDir(), "db")
		if err := os.WriteFile(name, tt.damage(append([]byte(nil), good...)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := sqlite.Open(t.Context(), name)
		if s != nil || !errors.Is(err, sqlstore.ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: opened with %v, want ErrDamaged and the name", tt.name, err)
		}
	}
}

// TestFileMode checks that only the owner can access the file and those that SQLite
// creates next to it.
func TestFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("there are no modes here")
		return
	}
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, _, err := s.Lease(t.Context(), "a", month, 1, limit); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("there are %v, %v; want three files", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

// TestOpenErrors checks that the errors of Open are clear and never contain a password.
func TestOpenErrors(t *testing.T) {
	const password = "hunter2"
	t.Setenv("PGPASSWORD", password)
	for _, tt := range []struct {
		d    database
		at   string
		want string // in the error
	}{
		{databases[0], "", "name of a file"},
		{databases[0], ":memory:", "name of a file"},
		{databases[0], t.TempDir(), "is a directory"},
		{databases[0], filepath.Join(t.TempDir(), "missing", "db"), "no such file"},
		{databases[1], "postgres://u:" + password + "@127.0.0.1:1/db?sslmode=perhaps", "want a URL like postgres://user:password@host"},
		{databases[1], "postgres://u:" + password + "@127.0.0.1:none/db", "want a URL like postgres://user:password@host"},
		{databases[1], "postgres://u:" + password + "%zz@127.0.0.1:1/db", "want a URL like postgres://user:password@host"},
		{databases[1], "host=127.0.0.1 password='" + password, "want a URL like postgres://user:password@host"},
		// The syntax ends the password too early, or does not mark it as one.
		{databases[1], "postgres://u:a@" + password + "@127.0.0.1:1/db?sslmode=perhaps", "want a URL like postgres://user:password@host"},
		{databases[1], "postgres://u:a@" + password + "@127.0.0.1:1/db", "want a URL like postgres://user:password@host"},
		{databases[1], "postgres://u:1/" + password + "@127.0.0.1:1/db", "want a URL like postgres://user:password@host"},
		{databases[1], "host=127.0.0.1 password " + password, "want a URL like postgres://user:password@host"},
		{databases[1], "postgres://u:" + password + "@127.0.0.1:1/db", "127.0.0.1:1"},
		{databases[1], "postgres://u@127.0.0.1:1/db", "127.0.0.1:1"},
	} {
		s, err := tt.d.open(t.Context(), tt.at)
		if err == nil {
			s.Close()
			t.Errorf("%q: opened", tt.at)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), password) {
			t.Errorf("%q: the error is %q, want one with %q and no password", tt.at, err, tt.want)
		}
	}
}

// TestDurable checks that commits are synchronous, whatever the settings of the
// database.
func TestDurable(t *testing.T) {
	var synchronous, mode string
	db := databases[0].must(t, databases[0].new(t)).DB()
	if err := db.QueryRow(`pragma synchronous`).Scan(&synchronous); err != nil || synchronous != "2" {
		t.Errorf("SQLite: synchronous is %q, %v, want 2, which is full", synchronous, err)
	}
	if err := db.QueryRow(`pragma journal_mode`).Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("SQLite: journal_mode is %q, %v, want wal", mode, err)
	}
	for told, want := range map[string]string{
		"synchronous_commit=off":                     "on read committed",
		"synchronous_commit=on":                      "on read committed",
		"synchronous_commit=remote_apply":            "remote_apply read committed",
		"default_transaction_isolation=serializable": "on read committed",
	} {
		db := databases[1].must(t, databases[1].new(t)+"&"+told).DB()
		if err := db.QueryRow(`select current_setting('synchronous_commit') || ' ' || current_setting('transaction_isolation')`).Scan(&mode); err != nil ||
			mode != want {
			t.Errorf("PostgreSQL: commits are %q, %v, for %s, want %q", mode, err, told, want)
		}
		own, err := sql.Open("pgx", databases[1].new(t)+"&"+told)
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		_, err = postgres.New(t.Context(), own)
		if safe := told == "synchronous_commit=on" || told == "synchronous_commit=remote_apply"; (err == nil) != safe {
			t.Errorf("PostgreSQL: a database of the caller with %s: %v", told, err)
		}
	}
}
