package postgrestest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
)

// startTime bounds the time until a server answers, including recovery after a crash.
const startTime = 5 * time.Minute

// errMissing says that the programs of PostgreSQL are not installed.
var errMissing = errors.New("no PostgreSQL: initdb is not in PATH nor in /usr/lib/postgresql/*/bin")

// A Server is a PostgreSQL for one test: a new cluster in a temporary directory, with a
// Unix socket in it. If the test runs as root, the server runs as user postgres, because
// PostgreSQL refuses to run as root. The server is stopped and its directory removed when
// the test ends, or when the process of the test ends for any reason.
type Server struct {
	programs string // the directory of initdb, pg_ctl and postgres
	dir      string
	uid, gid int           // of the user postgres if the test runs as root, or else 0
	guard    io.Closer     // closing it stops the server
	process  *os.Process   // of the last launch; it starts all others
	exited   chan struct{} // closed when all processes of the last launch have ended
}

// Start starts a server for one test. If none can be started, Start skips the test, or
// fails it if the environment variable CI is set.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	must(t, err)
	t.Cleanup(func() { s.guard.Close() })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func start() (*Server, error) {
	s := &Server{}
	dirs := []string{"/usr/local/pgsql/bin"}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	for _, dir := range append(dirs, debian...) {
		if _, err := exec.LookPath(filepath.Join(dir, "initdb")); err == nil {
			s.programs = dir
		}
	}
	if s.programs == "" {
		return nil, errMissing
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "pg"); err != nil {
		return nil, err
	}
	if err := s.create(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, s.Launch()
}

// create creates the cluster, and arranges for its end when this process ends.
func (s *Server) create() error {
	if os.Getuid() == 0 {
		postgres, err := user.Lookup("postgres")
		if err != nil {
			return err
		}
		s.uid, _ = strconv.Atoi(postgres.Uid) // numbers on Unix
		s.gid, _ = strconv.Atoi(postgres.Gid)
		if err := os.Chown(s.dir, s.uid, s.gid); err != nil {
			return err
		}
	}
	if err := s.initialize(); err != nil {
		return err
	}
	// The system closes this end of the pipe when the process ends.
	guard := s.command("sh", "-c", `read -r _; "$0" stop -s -m immediate -D "$1/data"; rm -rf "$1"`, filepath.Join(s.programs, "pg_ctl"), s.dir)
	var err error
	if s.guard, err = guard.StdinPipe(); err != nil {
		return err
	}
	return guard.Start()
}

// shrink drops the databases that no test uses, which are two thirds of a cluster.
const shrink = "update pg_database set datistemplate = false\ndrop database template0\ndrop database template1\n"

// initialize creates the files of the cluster, or unpacks those that an earlier test has
// left in the user's cache directory, which takes a tenth of the time.
func (s *Server) initialize() error {
	initdb := []string{filepath.Join(s.programs, "initdb"), "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--wal-segsize=1"}
	var version bytes.Buffer
	if err := s.run(nil, &version, initdb[0], "--version"); err != nil {
		return err
	}
	packed := ""
	if dir, err := os.UserCacheDir(); err == nil {
		sum := sha256.Sum256([]byte(version.String() + strings.Join(initdb, " ") + shrink))
		packed = filepath.Join(dir, "walletscreen", fmt.Sprintf("postgresql-%x.tar", sum[:8]))
	}
	if f, err := os.Open(packed); err == nil {
		defer f.Close()
		return s.run(f, nil, "tar", "-x")
	}
	if err := s.run(nil, nil, append(initdb, s.data())...); err != nil {
		return err
	}
	if err := s.run(strings.NewReader(shrink), nil, filepath.Join(s.programs, "postgres"), "--single", "-D", s.data(), "-c", "fsync=off", "postgres"); err != nil {
		return err
	}
	if err := s.run(nil, nil, filepath.Join(s.programs, "pg_resetwal"), "-D", s.data()); err != nil { // removes files of the log that are spare
		return err
	}
	if packed != "" && os.MkdirAll(filepath.Dir(packed), 0o700) == nil {
		// Without the file the next test runs initdb again.
		_ = atomicfile.Write(packed, 0o600, func(f *os.File) error { return s.run(nil, f, "tar", "-c", filepath.Base(s.data())) })
	}
	return nil
}

// run runs a program in the directory of the server, not as root.
func (s *Server) run(stdin io.Reader, stdout io.Writer, words ...string) error {
	cmd := s.command(words[0], words[1:]...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", words[0], err, &stderr)
	}
	return nil
}

// command returns a command that does not run as root.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	if s.uid != 0 {
		runAs(cmd, s.uid, s.gid)
	}
	cmd.Dir = s.dir // the user may have no access to the directory of the test
	return cmd
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// URL returns the URL of the database postgres, with the role postgres.
func (s *Server) URL() string {
	return "postgres://postgres@/postgres?" + url.Values{"host": {s.dir}}.Encode()
}

// Launch starts the server, or restarts it after Kill, and returns when it answers.
func (s *Server) Launch() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := s.command(filepath.Join(s.programs, "postgres"), "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=300",
		"-c", "fsync=off") // a kill loses nothing that was written to the system
	// Output goes through a pipe, because package exec then waits for all processes that
	// hold it, which are the processes of the server.
	cmd.Stderr = struct{ io.Writer }{log}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	exited := make(chan struct{})
	s.process, s.exited = cmd.Process, exited
	go func() {
		cmd.Wait() // only the end matters
		log.Close()
		close(exited)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-exited:
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
			continue
		}
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, said)
	}
}

// Kill kills the server, like a crash, and returns when all its processes have ended.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if err := s.process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
}
