// Package postgrestest gives tests a real PostgreSQL: the one that
// WALLETSCREEN_TEST_POSTGRES names, or else one of their own, of the programs that
// are installed.
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

// Variable is the environment variable that names the PostgreSQL to use: the URL
// of a database, and of a role that may create schemas in it.
const Variable = "WALLETSCREEN_TEST_POSTGRES"

// shared is the server that the tests of one process share, if none is named.
var shared = sync.OnceValues(start)

// URL returns the URL of a schema of its own, which is dropped when the test
// ends. Where no server is named and none can be made, the test is skipped, or
// fails if CI is set in the environment.
func URL(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Variable)
	if server == "" {
		s, err := shared()
		must(t, err)
		server = s.URL()
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable) // the error would show the password
	}
	schema := "test_" + strings.ToLower(rand.Text())
	execute(t, server, "create schema "+schema)
	t.Cleanup(func() { execute(t, server, "drop schema "+schema+" cascade") })
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
