//go:build unix

package httpbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A changing source lists n addresses. Each load replaces one in a hundred.
type changing struct {
	n    int
	load uint64
	id   string // "CHANGING" if empty
}

func (c *changing) Info() sources.Info {
	return sources.Info{ID: cmp.Or(c.id, "CHANGING"), Name: "list that changes", Jurisdiction: sources.Community}
}

func (c *changing) Load(ctx context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	c.load++
	for i := range uint64(c.n) {
		digits := appendDigits(nil, i<<16+(c.load+i)/100) // numbers of its own for each i
		a, err := address.Parse("ethereum", "0x"+string(digits))
		if err != nil {
			return sources.Revision{}, err
		}
		if err := add(sources.Entry{Address: a, Kind: score.Scam}); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: fmt.Sprint(c.load), Records: c.n}, ctx.Err()
}

// swapped is the number of entries of the list that is replaced.
const swapped = 1_000_000

// serveSwap serves the handler with a list, and, for each line that it reads, replaces the
// whole list and prints how long that took.
func serveSwap() error {
	s, err := screening.New([]sources.Source{&changing{n: swapped}}, nil)
	if err != nil {
		return err
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		return err
	}
	keys, err := access.Fixed(map[string]string{"bench": benchToken})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	return serve(l, httpapi.NewHandler(s, keys, nil), benchToken, func() error {
		begin := time.Now()
		if _, err := s.Refresh(context.Background()); err != nil {
			return err
		}
		fmt.Println(time.Since(begin))
		return nil
	})
}

// BenchmarkSwap compares how long answers take while a list is replaced with how long
// they take while nothing is: of questions that are asked at a rate, whether or not the ones before
// were answered, over some connections. A request that fails ends it.
func BenchmarkSwap(b *testing.B) {
	const conns, perSecond = 8, 4000
	const interval = conns * time.Second / perSecond
	c := start(b, "swap", conns)
	var times []float64
	for b.Loop() {
		var took string
		during, err := c.paced(interval, func() (err error) {
			if _, err = io.WriteString(c.ask, "\n"); err == nil {
				took, err = c.answers.ReadString('\n')
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		length, err := time.ParseDuration(strings.TrimSpace(took))
		if err != nil {
			b.Fatal(err)
		}
		quiet, err := c.paced(interval, func() error { time.Sleep(length); return nil })
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, float64(at(during, 0.99))/float64(at(quiet, 0.99)))
		b.Logf("replaced in %v, %d answers: p50 %v, p99 %v, at most %v; of %d without: p50 %v, p99 %v, at most %v",
			length.Round(time.Millisecond), len(during), at(during, 0.5), at(during, 0.99), at(during, 1),
			len(quiet), at(quiet, 0.5), at(quiet, 0.99), at(quiet, 1))
	}
	b.ReportMetric(median(times), "p99")
}

// paced asks over each connection of c once in an interval, whether or not the
// question before was answered, while until runs. It returns how long the answers
// took, in order.
func (c *candidate) paced(interval time.Duration, until func() error) ([]time.Duration, error) {
	stop := make(chan struct{})
	type done struct {
		all []time.Duration
		err error
	}
	results := make(chan done)
	begin := time.Now()
	for i, conn := range c.conns {
		due := begin.Add(interval * time.Duration(i) / time.Duration(len(c.conns)))
		go func() {
			var d done
			for d.err == nil {
				select {
				case <-stop:
					results <- d
					return
				case <-time.After(time.Until(due)):
				}
				d.err = conn.ask()
				d.all = append(d.all, time.Since(due)) // from when it was due: a server that is slow delays none but its answers
				due = due.Add(interval)
			}
			results <- d
		}()
	}
	err := until()
	close(stop)
	var all []time.Duration
	for range c.conns {
		d := <-results
		all, err = append(all, d.all...), errors.Join(err, d.err)
	}
	slices.Sort(all)
	return all, err
}

// at returns the value at a part p of all, which is sorted.
func at(all []time.Duration, p float64) time.Duration { return all[int(p*float64(len(all)-1))] }
