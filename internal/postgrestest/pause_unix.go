//go:build unix

package postgrestest

import (
	"context"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Pause stops the processes of the server, which then neither answers nor closes a
// connection, until resume is called. The test calls resume before it ends.
func (s *Server) Pause(t testing.TB) (resume func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(ctx, "select pid from pg_stat_activity where pid <> pg_backend_pid()")
	if err != nil {
		t.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}
	pids = append([]int{s.pid(t)}, pids...) // the one that would start others first
	signal := func(sig syscall.Signal) {
		for _, pid := range pids {
			if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
				t.Error(err)
			}
		}
	}
	signal(syscall.SIGSTOP)
	return func() { signal(syscall.SIGCONT) }
}
