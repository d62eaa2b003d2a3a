package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
)

// table returns a CSV table of n customers with addresses of EVM chains, one of them
// listed.
func table(n int) string {
	var b strings.Builder
	b.WriteString("id,customer,address,country\n")
	for i := range n {
		address := fmt.Sprintf("0x%040x", uint64(i)*0x9e3779b97f4a7c15)
		if i == n/2 {
			address = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
		}
		fmt.Fprintf(&b, "%d,Customer %d,%s,DE\n", i, i, address)
	}
	return b.String()
}

// BenchmarkTable screens the rows of a table, and for comparison copies the same table
// with encoding/csv. The command that it measures is screen -in.
func BenchmarkTable(b *testing.B) {
	const n = 100_000
	text := table(n)
	b.Run("screen", func(b *testing.B) {
		p := &program{stdout: io.Discard, stderr: io.Discard}
		s, err := p.openLists(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		j := &judge{screener: s}
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			p.stdin = strings.NewReader(text)
			job := &tableJob{program: p, options: tableOptions{in: "-"}, add: verdictColumns, cells: j.cells}
			if err := job.run(context.Background()); err != nil || job.total.rows != n || job.total.undecided != 0 {
				b.Fatal(job.total, err)
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("encoding/csv", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r, w := csv.NewReader(strings.NewReader(text)), csv.NewWriter(io.Discard)
			r.ReuseRecord = true
			for {
				record, err := r.Read()
				if err == io.EOF {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				w.Write(record)
			}
			w.Flush()
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("rows", func(b *testing.B) { // reading and writing alone
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r, err := rows.NewReader(bytes.NewReader([]byte(text)), rows.Options{Add: verdictColumns})
			if err != nil {
				b.Fatal(err)
			}
			var buf []byte
			for {
				row, err := r.Next()
				if err == io.EOF {
					break
				}
				buf = r.AppendRow(buf[:0], &row, "CLEAN_NO_MATCH", "", "0", "", "", "", "", "", "", "", "0", "", "", "")
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

// BenchmarkServe starts the program and asks until it answers, with the bundled lists, and
// with a list of a million addresses that -data keeps. It reports the quickest start, which
// other work on the machine disturbs least.
func BenchmarkServe(b *testing.B) {
	const key = "0123456789abcdef0123456789abcdef"
	server := filepath.Join(b.TempDir(), "walletscreen")
	if out, err := exec.Command("go", "build", "-o", server, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, n := range []int{0, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := b.TempDir()
			if n > 0 {
				var list bytes.Buffer
				for i := range n {
					fmt.Fprintf(&list, "0x%040x\n", uint64(i+1)*0x9e3779b97f4a7c15)
				}
				name := filepath.Join(b.TempDir(), "list.txt")
				if err := os.WriteFile(name, list.Bytes(), 0o600); err != nil {
					b.Fatal(err)
				}
				p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: os.Stderr}
				if code := p.run(b.Context(), []string{"lists", "import", "-accept", "-data", data, "COMMUNITY_BADLIST=" + name}); code != 0 {
					b.Fatalf("lists import: exit code %d", code)
				}
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			at := l.Addr().String()
			l.Close()
			wall, used := time.Hour, time.Hour
			for b.Loop() {
				begin := time.Now()
				cmd := exec.Command(server, "-offline", "-addr", at, "-api-key", key, "-data", data)
				cmd.Env = []string{}
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				for status := 0; status != http.StatusOK; time.Sleep(time.Millisecond) {
					req, err := http.NewRequest("POST", "http://"+at+"/api/v1/screen", strings.NewReader(`{"address":"`+listed+`","chain":"ethereum"}`))
					if err != nil {
						b.Fatal(err)
					}
					req.Header.Set("Authorization", "Bearer "+key)
					req.Header.Set("Content-Type", "application/json")
					if resp, err := http.DefaultClient.Do(req); err == nil {
						status = resp.StatusCode
						resp.Body.Close()
					}
				}
				wall = min(wall, time.Since(begin))
				cmd.Process.Kill()
				cmd.Wait()
				used = min(used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			}
			b.ReportMetric(float64(wall.Milliseconds()), "ms-least")
			b.ReportMetric(float64(used.Milliseconds()), "cpu-ms-least")
		})
	}
}
