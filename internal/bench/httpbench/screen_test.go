//go:build unix

// Package httpbench measures the handler of package httpapi, for a key with a burst limit and a quota,
// against a handler that reads the body and writes a constant of the same size, with the header
// fields of an httpapi response:
//
//	go -C internal/bench test -bench Screen -benchtime 21x ./httpbench
//
// Each handler runs in a process of its own on 127.0.0.1 and is called over
// keep-alive connections. In each round both run once, and the figures of httpapi
// are divided by the figures of the constant in the same round. The figures are the median
// ratios of requests per second, and of CPU time per request in the server process; and, as best,
// the ratios of the best twentieth of all rounds, which a busy machine disturbs least: on one,
// measure many short rounds, such as -benchtime 500x ./httpbench -spell 10ms, with -spell behind the
// package. Client and servers share the processors, so only the ratios are meaningful.
//
// The constant handler reads the body to its end, because net/http does that for a
// handler that does not, and starts to watch the connection then. It neither keeps nor
// parses it, and its header fields are made once: it costs the least that any handler
// of a POST with these fields can.
package httpbench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

var spell = flag.Duration("spell", 300*time.Millisecond, "time for one handler in a round")

// serveVariable names the handler of a server in the environment of its process.
const serveVariable = "HTTPBENCH_SERVE"

// TestMain runs the benchmarks, or is the server of a handler until standard input ends.
func TestMain(m *testing.M) {
	var err error
	switch name := os.Getenv(serveVariable); name {
	case "":
		os.Exit(m.Run())
	case "swap":
		err = serveSwap()
	case "neighbors":
		err = serveNeighbors()
	default:
		err = server(name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// newHandler returns the handler of a name, and the API key for it.
func newHandler(name string) (h http.Handler, token string, err error) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		return nil, "", err
	}
	ctx := context.Background()
	if _, err := s.Refresh(ctx); err != nil {
		return nil, "", err
	}
	if name == "constant" {
		answer, err := constant(s)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			header := w.Header()
			for i := range fields {
				header[fields[i].name] = fields[i].values
			}
			w.Write(answer)
		}), benchToken, err
	}
	store := access.NewMemory()
	token, key, err := access.NewKey(access.Key{ID: "bench", Scopes: "screen usage", Quota: 1e12, Rate: 1e6, Burst: 1e6})
	if err == nil {
		err = store.PutKey(ctx, key)
	}
	keys := access.New(store, nil)
	return httpapi.NewHandler(s, keys, &httpapi.Options{Meter: keys}), token, err
}

// benchToken is an API key.
const benchToken = "wsk_bench_ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRST"

// fields are the header fields of an answer of httpapi: the least that they cost is
// what net/http takes for them.
var fields = []struct {
	name   string // in canonical form, in which Header.Set would bring it
	values []string
}{
	{"X-Request-Id", []string{"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}},
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Cache-Control", []string{"no-store"}},
	{"Ratelimit-Policy", []string{`"monthly";q=1000000000000;w=2592000, "burst";q=1000000;w=1`}},
	{"Ratelimit", []string{`"monthly";r=999999876543;t=1234567, "burst";r=999999;t=1`}},
	{"Content-Type", []string{"application/json"}},
}

// constant returns the answer of httpapi to the first question.
func constant(s *screening.Screener) ([]byte, error) {
	keys, err := access.Fixed(map[string]string{"bench": benchToken})
	if err != nil {
		return nil, err
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request(benchToken, 0))))
	if err != nil {
		return nil, err
	}
	var w recorder
	httpapi.NewHandler(s, keys, nil).ServeHTTP(&w, r)
	return w.body, nil
}

// A recorder keeps the body of an answer.
type recorder struct{ body []byte }

func (*recorder) Header() http.Header           { return http.Header{} }
func (*recorder) WriteHeader(int)               {}
func (w *recorder) Write(b []byte) (int, error) { w.body = append(w.body, b...); return len(b), nil }

// server serves a handler, and prints, for each line that it reads, the nanoseconds
// that the process has computed.
func server(name string) error {
	h, token, err := newHandler(name)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	return serve(l, h, token, func() error {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return err
		}
		fmt.Println(u.Utime.Nano() + u.Stime.Nano())
		return nil
	})
}

// serve serves h, prints the address and the API key for it, and calls f for each
// line of standard input until that ends.
func serve(l net.Listener, h http.Handler, token string, f func() error) error {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: patience, ReadTimeout: patience,
		WriteTimeout: patience, IdleTimeout: 2 * patience, MaxHeaderBytes: 16 << 10,
	}
	go s.Serve(l)
	fmt.Println(l.Addr(), token)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := f(); err != nil {
			return err
		}
	}
	return s.Close()
}

// A candidate is a server, and its measurements.
type candidate struct {
	name    string
	token   string
	ask     io.WriteCloser
	answers *bufio.Reader
	conns   []*conn

	rate, cpu []float64 // by round: requests per second, and seconds per request
}

// start starts the server of a handler, and connects to it.
func start(b *testing.B, name string, conns int) *candidate {
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"="+name)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		b.Fatal(err)
	}
	c := &candidate{name: name, ask: in, answers: bufio.NewReader(out)}
	b.Cleanup(func() {
		for _, conn := range c.conns {
			conn.Close()
		}
		in.Close()
		cmd.Wait()
	})
	var addr string
	if _, err := fmt.Fscanln(c.answers, &addr, &c.token); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	for i := range conns {
		conn, err := dial(addr, c.token, uint64(i))
		if err != nil {
			b.Fatal(err)
		}
		c.conns = append(c.conns, conn)
	}
	return c
}

// computed returns how long the process of c has computed, in seconds.
func (c *candidate) computed() (float64, error) {
	if _, err := io.WriteString(c.ask, "\n"); err != nil {
		return 0, err
	}
	line, err := c.answers.ReadString('\n')
	if err != nil {
		return 0, err
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return float64(ns) / 1e9, err
}

// run asks c over all its connections for some time.
func (c *candidate) run(spell time.Duration) (rate, cpu float64, err error) {
	before, err := c.computed()
	if err != nil {
		return 0, 0, err
	}
	type done struct {
		n   int
		err error
	}
	all := make(chan done)
	begin := time.Now()
	for _, conn := range c.conns {
		go func() {
			n := 0
			for time.Since(begin) < spell {
				for range 16 {
					if err := conn.ask(); err != nil {
						all <- done{n, fmt.Errorf("%s: %w", c.name, err)}
						return
					}
					n++
				}
			}
			all <- done{n, nil}
		}()
	}
	n := 0
	for range c.conns {
		d := <-all
		n, err = n+d.n, errors.Join(err, d.err)
	}
	took := time.Since(begin).Seconds()
	after, err2 := c.computed()
	return float64(n) / took, (after - before) / float64(n), errors.Join(err, err2)
}

// BenchmarkScreen compares httpapi with the constant, over some connections.
func BenchmarkScreen(b *testing.B) {
	for _, conns := range []int{8, 64} {
		b.Run(fmt.Sprintf("conns=%d", conns), func(b *testing.B) {
			base, c := start(b, "constant", conns), start(b, "httpapi", conns)
			all := []*candidate{base, c}
			round := func() {
				for _, c := range all {
					rate, cpu, err := c.run(*spell)
					if err != nil {
						b.Fatal(err)
					}
					c.rate, c.cpu = append(c.rate, rate), append(c.cpu, cpu)
				}
				slices.Reverse(all) // another goes first each time
			}
			round() // warms up
			base.rate, base.cpu, c.rate, c.cpu = nil, nil, nil, nil
			for b.Loop() {
				round()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ratios(c.rate, base.rate)), "rate")
			b.ReportMetric(median(ratios(c.cpu, base.cpu)), "cpu")
			b.ReportMetric(quantile(c.rate, 0.95)/quantile(base.rate, 0.95), "best-rate")
			b.ReportMetric(quantile(c.cpu, 0.05)/quantile(base.cpu, 0.05), "best-cpu")
			b.ReportMetric(median(c.rate), "requests/s")
		})
	}
}

// ratios returns the ratios of a to b, one by one.
func ratios(a, b []float64) []float64 {
	all := make([]float64, len(a))
	for i := range a {
		all[i] = a[i] / b[i]
	}
	return all
}

// quantile returns the value at a part p of a, in order.
func quantile(a []float64, p float64) float64 {
	return slices.Sorted(slices.Values(a))[int(p*float64(len(a)-1))]
}

func median(a []float64) float64 {
	a = slices.Sorted(slices.Values(a))
	return (a[len(a)/2] + a[(len(a)-1)/2]) / 2
}
