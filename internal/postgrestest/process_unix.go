//go:build unix

package postgrestest

import (
	"context"
	"os/exec"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// runAs makes a command run as a user. No program stands between, as runuser would: that
// stops itself when its child is stopped, and stays so.
func runAs(cmd *exec.Cmd, uid, gid int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

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
	var stopped []int
	signal := func(sig syscall.Signal, pids []int) {
		for _, pid := range pids {
			if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
				t.Error(err)
			}
		}
	}
	resume = func() {
		signal(syscall.SIGCONT, stopped)
		stopped = nil
	}
	t.Cleanup(resume) // if the test fails here
	stop := func(pids ...int) {
		stopped = append(stopped, pids...)
		signal(syscall.SIGSTOP, pids)
	}
	stop(s.process.Pid) // first the process that starts others
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
	stop(pids...)
	return resume
}
