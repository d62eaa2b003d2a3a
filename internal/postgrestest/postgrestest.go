// Package postgrestest provides tests with a real PostgreSQL, which it starts with the
// installed programs. [URL] returns a schema on a server that the tests of a process share,
// and [Start] starts a server for one test.
package postgrestest

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// shared is the server that the tests of one process share.
var shared = sync.OnceValues(start)

// URL returns the URL of a new schema. If no server can be started, URL skips the test, or
// fails it if the environment variable CI is set.
func URL(t testing.TB) string {
	t.Helper()
	s, err := shared()
	must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	must(t, err)
	defer conn.Close(ctx)
	schema := "test_" + strings.ToLower(rand.Text())
	_, err = conn.Exec(ctx, "create schema "+schema)
	must(t, err)
	return s.URL() + "&search_path=" + schema
}
