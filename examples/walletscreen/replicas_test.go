package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestMain is also the main function of the servers that run as processes of their
// own, so that they can be killed.
func TestMain(m *testing.M) {
	if every := os.Getenv("SERVER_TEST_MAIN"); every != "" {
		if d, err := time.ParseDuration(every); err == nil {
			ownEvery = d
		}
		main()
		return
	}
	debug.SetGCPercent(400) // the heap is small: collections cost a tenth of the time
	os.Exit(m.Run())
}

// processEnv returns the environment of a server in a separate process, without the
// variables of the tests, which the program does not know. It reads own lists this often.
func processEnv(every string) []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "WALLETSCREEN_") })
	return append(env, "SERVER_TEST_MAIN="+every)
}

// A replica is a server in a separate process.
type replica struct {
	url     string
	process *os.Process
	ended   chan struct{} // closed when the process has ended

	mu  sync.Mutex
	log []string // the last lines that it wrote
}

// say adds a line to the log.
func (r *replica) say(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, line)
	if len(r.log) > 2*logLines {
		r.log = slices.Delete(r.log, 0, logLines)
	}
}

const logLines = 30

// said returns the end of the log.
func (r *replica) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.log[max(0, len(r.log)-logLines):], "\n")
}

// startReplica starts a server over the database that a URL names.
func startReplica(t *testing.T, db string) *replica {
	t.Helper()
	r, err := launch(t, db, append(shortest, "-offline")...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// launch is startReplica with flags, for any goroutine. It reads own lists often.
func launch(t *testing.T, db string, args ...string) (*replica, error) {
	cmd := exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0", "-db", db}, args...)...)
	cmd.Env = processEnv("300ms")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stderr)
	said := ""
	at := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/api/v1/screen`)
	for lines.Scan() && !at.MatchString(lines.Text()) {
		said += lines.Text() + "\n"
	}
	m := at.FindStringSubmatch(lines.Text())
	r := &replica{process: cmd.Process, ended: make(chan struct{})}
	go func() {
		for lines.Scan() {
			r.say(lines.Text())
		}
		cmd.Wait()
		close(r.ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-r.ended
	})
	if m == nil {
		return nil, fmt.Errorf("the replica does not start:\n%s", said)
	}
	r.url = m[1]
	return r, nil
}

// keysOf runs the command keys, and returns what it has written.
func keysOf(t *testing.T, db string, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(t, "", append([]string{"keys", args[0], "-db", db}, args[1:]...)...)
	if code != 0 {
		t.Fatalf("keys %q: %s", args, stderr)
	}
	return strings.TrimSpace(stdout)
}

// quota is what 64 clients of two replicas ask for together, and lostAtEnd how much
// a replica holds at most, which is lost when it is killed: a lease, and the answers that
// it was about to give.
const (
	clients   = 64
	lostAtEnd = 256 + clients/2
)

var quota = int64(longtest.N(500, 10_000))

// A crowd is clients that screen until the quota of their key is used up.
type crowd struct {
	client  http.Client
	token   string
	granted atomic.Int64
}

// ask asks one replica, and returns the status of the answer, or 0 if there was
// none.
func (c *crowd) ask(r *replica) int {
	req, err := http.NewRequest(
		"POST",
		r.url+"/api/v1/screen",
		strings.NewReader(`{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"ethereum"}`),
	)
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	if resp.StatusCode == 200 {
		c.granted.Add(1)
	}
	return resp.StatusCode
}

// TestReplicas holds a key to its quota, to the last screening, over two replicas;
// also when one of them, or the database, is killed in the middle.
func TestReplicas(t *testing.T) {
	for _, tt := range []struct {
		name string
		lost int64 // at most
		kill func(t *testing.T, first *replica, db *postgrestest.Server)
	}{
		{"well", 0, nil},
		{"a replica killed", lostAtEnd, func(t *testing.T, first *replica, _ *postgrestest.Server) {
			if err := first.process.Kill(); err != nil {
				t.Error(err)
			}
		}},
		// Of each replica, the leases that it did not report.
		{"the database killed", 2 * lostAtEnd, func(t *testing.T, _ *replica, db *postgrestest.Server) {
			db.Kill(t)
			if err := db.Launch(); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.kill != nil && !longtest.Enabled() {
				t.Skip("long; set WALLETSCREEN_LONG=1")
			}
			server := postgrestest.Start(t)
			db := server.URL()
			c := &crowd{token: keysOf(t, db, "create", "-id", "crowd", "-quota", fmt.Sprint(quota))}
			c.client.Transport = &http.Transport{MaxIdleConnsPerHost: clients}
			replicas := []*replica{startReplica(t, db), startReplica(t, db)}
			var once sync.Once
			var wg sync.WaitGroup
			for i := range clients {
				wg.Go(func() {
					at := i % 2
					for {
						switch status := c.ask(replicas[at]); status {
						case 200:
							if tt.kill != nil && c.granted.Load() >= quota*2/5 {
								once.Do(func() { tt.kill(t, replicas[0], server) })
							}
						case 429:
							return
						case 0:
							at = 1 // the first one was killed
						case 503: // the database is away
							time.Sleep(100 * time.Millisecond)
						default:
							t.Errorf("an answer has the status %d", status)
							return
						}
					}
				})
			}
			wg.Wait()
			granted := c.granted.Load()
			if granted > quota || granted < quota-tt.lost {
				t.Errorf("%d screenings were granted, want %d, and at most %d less", granted, quota, tt.lost)
			}
			t.Logf("%d granted, %d lost", granted, quota-granted)
		})
	}
}
