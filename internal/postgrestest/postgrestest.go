// Package postgrestest provides tests with a real PostgreSQL: the server that
// WALLETSCREEN_TEST_POSTGRES names, or else one that it starts with the installed programs.
// [URL] returns a schema on a shared server, and [Start] starts a server for one test.
package postgrestest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Variable is the environment variable with the URL of the database to use. Its role must
// be allowed to create schemas.
const Variable = "WALLETSCREEN_TEST_POSTGRES"

// shared is the server that the tests of one process share if Variable is not set.
var shared = sync.OnceValues(start)

// URL returns the URL of a new schema. It is dropped when the test ends, or with the server
// if that is ours. If Variable is not set and no server can be started, URL skips the test,
// or fails it if the environment variable CI is set.
func URL(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Variable)
	ours := server == ""
	if ours {
		s, err := shared()
		must(t, err)
		server = s.URL()
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable) // the error would quote the password
	}
	schema := "test_" + strings.ToLower(rand.Text())
	execute(t, server, "create schema "+schema)
	if !ours {
		t.Cleanup(func() { execute(t, server, "drop schema "+schema+" cascade") })
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// execute executes one statement.
func execute(t testing.TB, url, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
