//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// flood prints how long the answers to a key take while n other connections ask for
// large answers and read nothing. It compares these times with the times of another
// server, which is asked at the same times and has no such connections, and with the
// times before the flood. Other work of the machine delays both servers alike; the
// scatter of the figure without a flood shows how much of that delay remains.
func flood(n, conns, rounds int, rate float64) error {
	c, stop, err := start("flood", conns)
	if err != nil {
		return err
	}
	defer stop()
	twin, stop, err := start("flood", conns)
	if err != nil {
		return err
	}
	defer stop()
	addr := c.conns[0].RemoteAddr().String()
	interval := time.Duration(float64(conns) / rate * float64(time.Second))
	spell := func() error { time.Sleep(3 * time.Second); return nil }
	phases := [...]string{"before they come", "while they ask", "while they stand"}
	var beside, since [len(phases)][]float64
	for round := range rounds + 1 {
		var f *flooding
		var quiet float64
		for i, until := range [len(phases)]func() error{
			spell,
			func() (err error) {
				if f, err = startFlood(addr, c.token, n); err == nil {
					err = errors.Join(f.fill(), c.settle())
				}
				return err
			},
			spell,
		} {
			ours, theirs, err := pacedBoth(c, twin, interval, until)
			if err != nil {
				return err
			}
			p99 := at(ours, 0.99)
			if i == 0 {
				quiet = float64(p99)
			}
			if round > 0 { // the first warms up
				beside[i] = append(beside[i], float64(p99)/float64(at(theirs, 0.99)))
				since[i] = append(since[i], float64(p99)/quiet)
				fmt.Printf("%-16s %5d answers: p50 %v, p99 %v, at most %v; of the other server %v, %v, %v\n",
					phases[i], len(ours), at(ours, 0.5), p99, at(ours, 1), at(theirs, 0.5), at(theirs, 0.99), at(theirs, 1))
			}
		}
		if err := errors.Join(f.stop(), c.settle()); err != nil {
			return err
		}
	}
	for i, phase := range phases {
		fmt.Printf("%d connections that do not read, %s: p99 is %.2f of that of the other server (%.2f to %.2f), and %.2f of that before (%.2f to %.2f)\n",
			n, phase, median(beside[i]), slices.Min(beside[i]), slices.Max(beside[i]), median(since[i]), slices.Min(since[i]), slices.Max(since[i]))
	}
	return nil
}

// pacedBoth is paced for two servers at the same time.
func pacedBoth(a, b *candidate, interval time.Duration, until func() error) (ofA, ofB []time.Duration, err error) {
	over := make(chan struct{})
	var other sync.WaitGroup
	var errB error
	other.Go(func() { ofB, errB = b.paced(interval, func() error { <-over; return nil }) })
	ofA, err = a.paced(interval, func() error { defer close(over); return until() })
	other.Wait()
	return ofA, ofB, errors.Join(err, errB)
}

// settle waits until the server of c computes little, because its clients wait.
func (c *candidate) settle() error {
	last, err := c.computed()
	for err == nil {
		time.Sleep(time.Second)
		var now float64
		if now, err = c.computed(); now-last < 0.3 {
			return err
		}
		last = now
	}
	return err
}

// A flooding is a process with many connections that ask and do not read. In one process
// with those that are measured it would delay them itself.
type flooding struct {
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// startFlood starts the process of n connections.
func startFlood(addr, token string, n int) (*flooding, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "-serve", fmt.Sprintf("none:%d", n))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(in, addr, token)
	return &flooding{cmd, in, bufio.NewReader(out)}, err
}

// fill waits until each connection has asked once.
func (f *flooding) fill() error {
	_, err := f.out.ReadString('\n')
	return err
}

// stop ends the process. It returns an error if a connection could not be opened.
func (f *flooding) stop() error {
	f.in.Close()
	return f.cmd.Wait()
}

// beFlood is the process. Each of n connections asks for an answer that is larger than
// the buffers of a connection, and asks again when the server has given up.
func beFlood(n int) error {
	var addr, token string
	if _, err := fmt.Scanln(&addr, &token); err != nil {
		return err
	}
	items := strings.Repeat(`{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"ethereum"},`, 999)
	batch := `{"items":[` + items + items[:strings.Index(items, "}")+1] + `]}`
	requests := []string{
		"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n",
		strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 100),
		"POST /api/v1/screen/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(batch)) + "\r\n\r\n" + batch,
	}
	done := make(chan struct{})
	var filled, ended sync.WaitGroup
	var failed atomic.Pointer[error]
	filled.Add(n)
	for i := range n {
		ended.Go(func() {
			first := sync.OnceFunc(filled.Done)
			defer first()
			for {
				conn, err := net.Dial("tcp", addr)
				if err == nil {
					err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
				}
				if err != nil {
					failed.Store(&err)
					return
				}
				conn.SetDeadline(time.Now().Add(writeTimeout))
				conn.Write([]byte(requests[i%len(requests)])) // an error means that the server has given up
				first()
				select {
				case <-time.After(writeTimeout):
					conn.Close()
				case <-done:
					conn.Close()
					return
				}
			}
		})
	}
	filled.Wait()
	fmt.Println("filled")
	io.Copy(io.Discard, os.Stdin) // until it ends
	close(done)
	ended.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// A stingy listener gives its connections small buffers, so that many that do not read
// take little memory of the system.
type stingy struct{ net.Listener }

func (l stingy) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(16 << 10)
	}
	return c, err
}
