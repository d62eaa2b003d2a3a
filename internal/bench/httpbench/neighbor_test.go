//go:build unix

package httpbench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// neighborToken is the API key of the caller that has many connections.
const neighborToken = "wsk_neighbor_ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRST"

// neighborRows is the number of entries of the list, and of changes of the store.
const (
	neighborRows    = 200_000
	neighborChanges = 100
)

// A once is a list that never changes.
type once struct{ *changing }

func (o once) Load(ctx context.Context, last sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if o.load > 0 {
		return sources.Revision{}, sources.ErrUnchanged
	}
	return o.changing.Load(ctx, last, add)
}

// serveNeighbors serves the handler with a large list, a store with many changes of it, and the past.
func serveNeighbors() error {
	dir, err := os.MkdirTemp("", "httpbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	srcs := []sources.Source{once{&changing{n: neighborRows}}, &changing{n: 20_000, id: "OTHER"}}
	s, err := screening.New(srcs, &screening.Options{Store: st})
	for range neighborChanges {
		if err == nil {
			_, err = s.Refresh(ctx)
		}
	}
	if err != nil {
		return err
	}
	keys, err := access.Fixed(map[string]string{"bench": benchToken, "neighbor": neighborToken})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	past := func(ctx context.Context, at time.Time) (*screening.Past, error) {
		return screening.OpenAt(ctx, st, at, srcs, nil)
	}
	return serve(l, httpapi.NewHandler(s, keys, &httpapi.Options{Store: st, Past: past}), benchToken, func() error { return nil })
}

// BenchmarkNeighbor measures the p99 of a key that asks about an address 50 times a second, while 64 connections of
// another key send requests of a kind, and while they send the same requests as the key: slower is the ratio.
func BenchmarkNeighbor(b *testing.B) {
	c := start(b, "neighbors", 1)
	addr := c.conns[0].RemoteAddr().String()
	var n atomic.Uint64
	kinds := []struct {
		name, method, path string
		body               func() string
	}{
		{"screen", "POST", "/api/v1/screen", func() string {
			return `{"address":"0x` + string(appendDigits(nil, n.Add(1))) + `","chain":"ethereum"}`
		}},
		{"validate", "POST", "/api/v1/validate", func() string { return `{"address":"` + strings.Repeat("7", 90+rand.IntN(10)) + `"}` }},
		{"entries", "POST", "/api/v1/entries", func() string { return `{"source":"CHANGING","search":"nothing has this"}` }},
		{"changes", "GET", "/api/v1/changes", func() string { return "" }},
		{"at", "POST", "/api/v1/screen", func() string {
			return `{"address":"0x` + string(appendDigits(nil, n.Add(1))) + `","chain":"ethereum","at":"` + time.Now().Add(-time.Second).UTC().Format(time.RFC3339Nano) + `"}`
		}},
		{"batch", "POST", "/api/v1/screen/batch", func() string {
			one := `{"address":"0x` + string(appendDigits(nil, n.Add(1))) + `","chain":"ethereum"}`
			return `{"items":[` + strings.Repeat(one+",", 999) + one + `]}`
		}},
		{"batch_at", "POST", "/api/v1/screen/batch", func() string {
			one := `{"address":"0x` + string(appendDigits(nil, n.Add(1))) + `","chain":"ethereum"}`
			return `{"items":[` + strings.Repeat(one+",", 999) + one + `],"at":"` + time.Now().Add(-time.Second).UTC().Format(time.RFC3339Nano) + `"}`
		}},
	}
	measure := func(kind int) (p99 time.Duration, answered, refused int64) {
		ctx, cancel := context.WithCancel(b.Context())
		var load sync.WaitGroup
		var ok, other atomic.Int64
		for range 64 {
			load.Go(func() {
				conn, err := net.Dial("tcp", addr)
				if err != nil {
					b.Error(err)
					return
				}
				defer conn.Close()
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				answers := bufio.NewReader(conn)
				for ctx.Err() == nil {
					k := kinds[kind]
					body := k.body()
					fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", k.method, k.path, neighborToken, len(body), body)
					w, err := http.ReadResponse(answers, nil)
					if err != nil {
						return
					}
					if _, err := io.Copy(io.Discard, w.Body); err != nil {
						return
					}
					if w.StatusCode == 200 {
						ok.Add(1)
					} else {
						other.Add(1)
					}
				}
			})
		}
		time.Sleep(*spell) // until the load is steady
		ok.Store(0)
		other.Store(0)
		var took []float64
		for end := time.Now().Add(10 * *spell); time.Now().Before(end); {
			begin := time.Now()
			if err := c.conns[0].ask(); err != nil {
				b.Fatal(err)
			}
			took = append(took, float64(time.Since(begin)))
			time.Sleep(max(0, 20*time.Millisecond-time.Since(begin)))
		}
		answered, refused = ok.Load(), other.Load()
		cancel()
		load.Wait()
		return time.Duration(quantile(took, 0.99)), answered, refused
	}
	for kind := range kinds {
		b.Run(kinds[kind].name, func(b *testing.B) {
			var all, base []float64
			var answered, refused int64
			for b.Loop() {
				p99, _, _ := measure(0)
				base = append(base, float64(p99))
				p99, ok, other := measure(kind)
				all = append(all, float64(p99))
				answered, refused = answered+ok, refused+other
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ratios(all, base)), "slower")
			b.ReportMetric(median(all)/1e6, "ms")
			b.ReportMetric(median(base)/1e6, "ms/screen")
			b.ReportMetric(float64(answered), "answered")
			b.ReportMetric(float64(refused), "refused")
		})
	}
}
