package pgstore_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/pgstore"
)

const variable = "WALLETSCREEN_TEST_LEAD"

func TestMain(m *testing.M) {
	if url := os.Getenv(variable); url != "" {
		leadForever(url)
	}
	os.Exit(m.Run())
}

// leadForever leads, prints a line, and waits until it is killed, or its parent ends.
func leadForever(url string) {
	st, err := pgstore.Open(context.Background(), url)
	leads := false
	for i := 0; i < 30_000 && err == nil && !leads; i++ { // as in TestLead
		if leads, err = st.Lead(context.Background(), "TEST"); !leads {
			time.Sleep(10 * time.Millisecond)
		}
	}
	fmt.Println(leads, err)
	io.Copy(io.Discard, os.Stdin) // until the test has ended
	os.Exit(1)
}

func open(t testing.TB, url string) *pgstore.Store {
	t.Helper()
	st, err := pgstore.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	return st
}

func execute(t testing.TB, url, statement string) {
	t.Helper()
	ctx := context.Background() // also in a Cleanup
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}

func name(n int) string {
	return stays.Name{Source: "TEST", First: 1, Last: uint32(n), Sum: fmt.Sprintf("%032x", n)}.String()
}

func lineOf(n uint64) []byte {
	l, _ := line.Format(n, []byte("{}"))
	return l
}

// numbersOf returns the numbers of the lines.
func numbersOf(t testing.TB, st store.Store) (all []uint64) {
	t.Helper()
	err := st.Read(t.Context(), 0, func(b []byte) error {
		l, _ := line.Parse(b)
		all = append(all, l.Seq)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestConforms(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() (store.Store, error) {
		url := postgrestest.URL(t)
		return func() (store.Store, error) { return open(t, url), nil }
	})
}

// TestPool uses a pool of one connection that the caller owns.
func TestPool(t *testing.T) {
	config, err := pgxpool.ParseConfig(postgrestest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	st, err := pgstore.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if leads, err := st.Lead(t.Context(), "TEST"); !leads || err != nil {
		t.Errorf("Lead = %v, %v", leads, err)
	}
	waited := make(chan error)
	go func() { _, err := st.Wait(t.Context(), 0); waited <- err }()
	if err := st.Append(t.Context(), 1, lineOf(1)); err != nil {
		t.Error(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("Wait: %v", err)
	}
	st.Close()
	if err := pool.Ping(t.Context()); err != nil {
		t.Errorf("Close has closed the pool: %v", err)
	}
}

// TestEmptyDatabase opens eight Stores at once, like replicas that start together.
func TestEmptyDatabase(t *testing.T) {
	url := postgrestest.URL(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			st, err := pgstore.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer st.Close()
			// All write the same file, and each a line.
			if err := st.Put(t.Context(), name(1), []byte("same")); err != nil {
				t.Error(err)
			}
			for n := uint64(1); ; n++ {
				if err := st.Append(t.Context(), n, lineOf(n)); err == nil {
					break
				} else if !errors.Is(err, store.ErrMoved) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	st := open(t, url)
	if names, err := st.Names(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("files %q, %v, want one", names, err)
	}
	if got := numbersOf(t, st); !slices.Equal(got, []uint64{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("lines %v, want 8", got)
	}
}

// TestWait checks that a replica notices an event, with and without notifications.
func TestWait(t *testing.T) {
	url := postgrestest.URL(t)
	a, b := open(t, url), open(t, url)
	var last uint64
	for i := range 5 {
		waited := make(chan error)
		go func() {
			next, err := journal.New(store.Retain(b, time.Hour), time.Now).Shared().Wait(t.Context(), last)
			if err == nil && next <= last {
				err = fmt.Errorf("the end is %d after %d", next, last)
			}
			waited <- err
		}()
		time.Sleep(time.Duration(i) * 20 * time.Millisecond)
		if i == 3 { // as if the notification were lost
			execute(t, url, fmt.Sprintf("insert into walletscreen_event (number, line) values (%d, '')", last+1))
		} else if err := a.Append(t.Context(), last+1, lineOf(last+1)); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-waited:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(5 * time.Minute):
			t.Fatal("Wait does not return")
		}
		last++
	}
	ended, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Wait(ended, last); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait while nothing happens: %v, want that of the context", err)
	}
}

// TestLead checks that there is one leader at a time: until it is closed, its
// connection is cut, or its process is killed.
func TestLead(t *testing.T) {
	url := postgrestest.URL(t)
	a, b := open(t, url), open(t, url)
	leads := func(what string, st *pgstore.Store, want bool) {
		t.Helper()
		var got bool
		var err error
		for range 30_000 { // the server may need a moment to see that a connection is gone
			if got, err = journal.New(st, time.Now).Shared().Lead(t.Context(), "TEST"); err != nil || got == want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got != want || err != nil {
			t.Fatalf("%s: Lead = %v, %v, want %v", what, got, err, want)
		}
	}
	leads("the first", a, true)
	leads("again", a, true)
	if got, err := b.Lead(t.Context(), "TEST"); got || err != nil {
		t.Fatalf("the second: Lead = %v, %v, want false", got, err)
	}
	for what, st := range map[string]*pgstore.Store{"the first": a, "the second": b} { // each, until it resigns
		if got, err := st.Lead(t.Context(), "OTHER"); !got || err != nil {
			t.Fatalf("%s of another source: Lead = %v, %v, want true", what, got, err)
		}
		if err := journal.New(st, time.Now).Shared().Resign(t.Context(), "OTHER"); err != nil {
			t.Fatal(err)
		}
	}
	leads("after it resigned the other source", a, true)
	if err := errors.Join(b.Resign(t.Context(), "TEST"), a.Resign(t.Context(), "TEST")); err != nil {
		t.Fatal(err)
	}
	leads("after the first resigned, the second", b, true)
	leads("the first", a, false)
	if err := b.Resign(t.Context(), "TEST"); err != nil {
		t.Fatal(err)
	}
	leads("after the second resigned, the first", a, true)
	execute(t, url, "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()")
	leads("after the connection of the first was cut, the second", b, true)
	leads("the first", a, false)
	b.Close()
	leads("after the second was closed, the first", a, true)
	a.Close()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), variable+"="+url)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	c := open(t, url)
	if line == "true <nil>\n" {
		leads("while another process leads", c, false)
	} else {
		t.Errorf("another process says %q, %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	leads("after that was killed", c, true)
}

// TestCrash kills the server while replicas write: written data must be there after the
// restart, and the Stores must continue.
func TestCrash(t *testing.T) {
	server := postgrestest.Start(t)
	st := open(t, server.URL())
	big := bytes.Repeat([]byte("content"), 1<<19)
	if err := errors.Join(st.Put(t.Context(), name(1), big), st.Append(t.Context(), 1, lineOf(1))); err != nil {
		t.Fatal(err)
	}
	if leads, err := st.Lead(t.Context(), "TEST"); !leads || err != nil {
		t.Fatalf("Lead = %v, %v", leads, err)
	}
	server.Kill(t)
	if err := st.Put(t.Context(), name(2), big); err == nil {
		t.Error("Put to a server that was killed: no error")
	}
	if _, err := st.Lead(t.Context(), "TEST"); err == nil {
		t.Error("Lead without a server: no error")
	}
	if _, err := st.Wait(t.Context(), 1); err == nil {
		t.Error("Wait without a server: no error")
	}
	if err := server.Launch(); err != nil {
		t.Fatal(err)
	}
	for try := 0; ; try++ { // connections of before may fail
		err := st.Append(t.Context(), 2, lineOf(2))
		if err == nil {
			break
		}
		if try == 30_000 {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if names, err := st.Names(t.Context()); err != nil || len(names) != 1 || names[0] != name(1) {
		t.Errorf("files %q, %v, want the one that was complete", names, err)
	}
	if data, err := st.Open(t.Context(), name(1)); err != nil || !bytes.Equal(data, big) {
		t.Errorf("%d bytes, %v, want %d", len(data), err, len(big))
	}
	if got := numbersOf(t, st); !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("lines %v", got)
	}
	if leads, err := st.Lead(t.Context(), "TEST"); !leads || err != nil {
		t.Errorf("Lead = %v, %v, want the lead again", leads, err)
	}
}

// TestFull uses a full disk, as the server reports it.
func TestFull(t *testing.T) {
	url := postgrestest.URL(t)
	st := open(t, url)
	execute(t, url, `
create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no space' using errcode = '53100'; end $$;
create trigger refuse before insert on walletscreen_stay for each row execute function refuse();
create trigger refuse before insert on walletscreen_event for each row execute function refuse();`)
	put := st.Put(t.Context(), name(1), []byte("content"))
	for what, err := range map[string]error{"Put": put, "Append": st.Append(t.Context(), 1, lineOf(1))} {
		if err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("%s: %v, want what the server says", what, err)
		}
	}
	if names, err := st.Names(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("files %q, %v, want none", names, err)
	}
}

// TestRights uses a role that may use the tables but not create them.
func TestRights(t *testing.T) {
	url := postgrestest.URL(t)
	open(t, url)
	role := "reader_" + strings.ToLower(strings.TrimPrefix(t.Name(), "Test")) + fmt.Sprint(time.Now().UnixNano())
	execute(t, url, fmt.Sprintf(`do $$ begin
	create role %[1]s;
	execute format('grant usage on schema %%I to %[1]s', current_schema());
	execute format('grant select, insert, update, delete on all tables in schema %%I to %[1]s', current_schema());
end $$`, role))
	t.Cleanup(func() { execute(t, url, "drop owned by "+role+"; drop role "+role) })
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "set role "+role)
		return err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	st, err := pgstore.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(st.Put(t.Context(), name(1), []byte("x")), st.Delete(t.Context(), name(1)), st.Append(t.Context(), 1, lineOf(1)))
	if err != nil {
		t.Error(err)
	}
}

// TestURL checks that no error shows a password.
func TestURL(t *testing.T) {
	for _, url := range []string{
		"postgres://user:pass@word@host:port/db", "postgres://user:pass/word@host/db?sslmode=no", "password=pass word=", "postgres://user:passw\x00rd@/x",
		"postgres://user:password@127.0.0.1:1/db?connect_timeout=1", "postgres://user:1/pass@127.0.0.1:1/db", "postgres://user:x@pass@127.0.0.1:1/db",
	} {
		_, err := pgstore.Open(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), "pass") && !errors.Is(err, pgstore.ErrURL) {
			t.Errorf("%q: %v", url, err)
		}
	}
}
