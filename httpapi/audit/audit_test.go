package audit_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/version"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	listed = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	clean  = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
)

// newScreener returns a Screener with one list, which contains listed.
func newScreener(t testing.TB) *screening.Screener {
	t.Helper()
	s, err := screening.New([]sources.Source{sources.Static(
		sources.Info{ID: "OUR_LIST", Name: "Our own list", Jurisdiction: sources.Community},
		sources.Entry{Address: address.MustParse("ethereum", listed), Kind: score.StolenFunds, Ref: `case "17"`},
	)}, nil)
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newScreening returns the screening of a clean address, by the request with this id.
func newScreening(t testing.TB, s *screening.Screener, id string) httpapi.Screening {
	t.Helper()
	r, err := s.ScreenText("ethereum", clean)
	if err != nil {
		t.Fatal(err)
	}
	return httpapi.Screening{Time: time.Now(), RequestID: id, CallerID: "k", Chain: "ethereum", Address: clean, Result: r}
}

// run runs l in a goroutine and returns a function that ends Run and returns its error.
func run(l *audit.Log) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	return func() error { cancel(); return <-done }
}

func open(t testing.TB, dir string, opts *audit.Options) *audit.Log {
	t.Helper()
	l, err := audit.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A fileOf is the name and the lines of a file.
type fileOf struct {
	name  string
	lines []map[string]any
}

// read returns the files in dir, ordered by name. It fails the test if a line is not
// complete.
func read(t testing.TB, dir string) (files []fileOf) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
		f := fileOf{name: filepath.Base(name)}
		for line := range strings.Lines(string(text)) {
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil || !strings.HasSuffix(line, "}\n") {
				t.Fatalf("%s: line %d is not whole: %q", name, len(f.lines)+1, line)
			}
			f.lines = append(f.lines, v)
		}
		files = append(files, f)
	}
	return files
}

// requests returns the number of records of each request id in the files.
func requests(files []fileOf) map[string]int {
	n := map[string]int{}
	for _, f := range files {
		for _, l := range f.lines {
			if l["type"] == "screening" {
				n[l["request_id"].(string)]++
			}
		}
	}
	return n
}

// text returns the concatenation of all files in dir.
func text(t testing.TB, dir string) string {
	t.Helper()
	var all []byte
	names, _ := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return string(all)
}

// unsealed returns text without the members n, prev and sum, which [TestVerify] checks.
func unsealed(text string) string {
	return regexp.MustCompile(`,"n":\d+,"prev":"([0-9a-f]{64})?","sum":"[0-9a-f]{64}"}\n`).ReplaceAllString(text, "}\n")
}

// intact fails the test unless the trail in dir is as it was written.
func intact(t testing.TB, dir string) {
	t.Helper()
	if trail, err := evidence.Verify(dir, nil, ""); err != nil || len(trail.Faults) > 0 || trail.Lines == 0 {
		t.Errorf("the trail is %+v, %v", trail, err)
	}
}

// TestLines screens through the API and checks every line of the trail.
func TestLines(t *testing.T) {
	dir, hashed := filepath.Join(t.TempDir(), "made", "audit"), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newScreener(t)
		keys, err := access.Fixed(map[string]string{"payments": "wsk_0123456789abcdef"})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(opts *audit.Options, id, address, chain string) {
			in := dir
			if opts != nil { // a key has a trail of its own
				in = hashed
			}
			l := open(t, in, opts)
			stop := run(l)
			h := httpapi.NewHandler(s, keys, &httpapi.Options{Audit: l.Record})
			r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(`{"address":"`+address+`","chain":"`+chain+`"}`))
			r.Header.Set("Authorization", "Bearer wsk_0123456789abcdef")
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Request-Id", id)
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != 200 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		}
		ask(nil, "r-1", "0X098B716B8AAF21512996DC57EB0615E2383E2F96", "BSC")
		time.Sleep(90 * time.Minute)
		key := bytes.Repeat([]byte{0xb}, 32)
		ask(&audit.Options{HashKey: key}, "r-2", clean, "ethereum")

		snapshot, list := newScreening(t, s, "").Result.Digest(), s.Sources()[0].Digest
		e := screening.Exception{Address: address.MustParse("bsc", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"), Reason: "case closed", Author: "J. Doe"}
		if err := s.SetExceptions(t.Context(), []screening.Exception{e}); err != nil {
			t.Fatal(err)
		}
		excepted := newScreening(t, s, "").Result.Digest()
		ask(nil, "r-3", "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "ethereum")
		begin := `{"format":"walletscreen evidence 1","type":"screening","screened_at":"2000-01-01T0`
		end := `,"module_version":"` + version.Module() + `","lists":[{"source":"OUR_LIST","name":"Our own list","jurisdiction":"Community","digest":"<digest>"
  ,"last_updated":"2000-01-01T00:00:00Z","completeness":"whole","required":true}]}` + "\n"
		want := begin + `0:00:00Z","request_id":"r-1","key_id":"payments","chain":"bsc"
  ,"address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96"
  ,"score":80,"level":"HIGH","labels":[{"label":"STOLEN_FUNDS","source":"OUR_LIST","source_ref":"case \"17\"","added_at":"2000-01-01T00:00:00Z","match":"family","listed_address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96"}]
  ,"doubts":[],"caveats":[],"all_clear":false
  ,"scoring_version":"v1.2","snapshot":"<lists>"` + end + begin + `1:30:00Z","request_id":"r-3","key_id":"payments","chain":"ethereum"
  ,"address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96"
  ,"score":0,"level":"CLEAN_NO_MATCH","labels":[]
  ,"suppressed":[{"label":"STOLEN_FUNDS","source":"OUR_LIST","source_ref":"case \"17\"","added_at":"2000-01-01T00:00:00Z","match":"exact","listed_address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96","reason":"case closed","author":"J. Doe","expires_at":null}]
  ,"doubts":[],"caveats":[],"all_clear":true
  ,"scoring_version":"v1.2","snapshot":"<excepted>"` + end + begin + `1:30:00Z","request_id":"r-2","key_id":"payments","chain":"ethereum","address":"hmac:` + audit.Hash(
			key,
			clean,
		) + `","score":0,"level":"CLEAN_NO_MATCH","labels":[],"doubts":[],"caveats":[],"all_clear":true
  ,"scoring_version":"v1.2","snapshot":"<lists>"` + end
		want = strings.NewReplacer("\n  ", "", "<lists>", snapshot, "<excepted>", excepted, "<digest>", list).Replace(want)
		if d := cmp.Diff(want, unsealed(text(t, dir)+text(t, hashed))); d != "" {
			t.Error(d)
		}
		if files := read(t, dir); len(files) != 1 || files[0].name != "audit-20000101T000000.000000000Z.jsonl" {
			t.Errorf("the files are %v, want one, that is opened again", files)
		}
	})
}

// TestHash checks the first vector of RFC 4231, section 4.2.
func TestHash(t *testing.T) {
	if got := audit.Hash(bytes.Repeat([]byte{0xb}, 20), "Hi There"); got != "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" {
		t.Error(got)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir  string
		opts audit.Options
		want string
	}{
		{file, audit.Options{}, "not a directory"},
		{dir, audit.Options{HashKey: []byte{}}, "want at least 32"},
		{dir, audit.Options{HashKey: make([]byte, 31)}, "31 bytes"},
		{dir, audit.Options{MaxAge: -1}, "negative"},
	} {
		if l, err := audit.Open(tt.dir, &tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %+v: %v, %v, want %q", tt.dir, tt.opts, l, err, tt.want)
		}
	}
}

// TestOneWriter checks that a directory belongs to one Log until its Run ends.
func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	stop := run(open(t, dir, nil))
	if _, err := audit.Open(dir, nil); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("opened twice: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	l := open(t, dir, nil)
	if err := run(l)(); err != nil {
		t.Error(err)
	}
	if err := l.Run(t.Context()); err == nil {
		t.Error("run twice")
	}
}

// TestConcurrent writes many records concurrently into files that are rotated all the
// time.
func TestConcurrent(t *testing.T) {
	for _, durable := range []bool{false, true} {
		dir, s := t.TempDir(), newScreener(t)
		l := open(t, dir, &audit.Options{Durable: durable})
		l.Limit(4000, 16, time.Minute)
		stop := run(l)
		const workers, each = 8, 100
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := range each {
					if err := l.Record(t.Context(), newScreening(t, s, fmt.Sprintf("%d-%d", w, i))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Go(func() { // the lists change at the same time
			for range 20 {
				s.Refresh(t.Context())
			}
		})
		wg.Wait()
		if err := stop(); err != nil {
			t.Error(err)
		}
		if queued, written, refused := l.Stats(); l.Err() != nil || queued != 0 || written != workers*each || refused != 0 {
			t.Errorf("%d queued, %d written, %d refused: %v", queued, written, refused, l.Err())
		}
		files := read(t, dir)
		if len(files) < 50 {
			t.Errorf("%d files only", len(files))
		}
		got := requests(files)
		for id, n := range got {
			if n != 1 {
				t.Errorf("request %s is there %d times", id, n)
			}
		}
		if len(got) != workers*each {
			t.Errorf("%d records, want %d", len(got), workers*each)
		}
		for _, f := range files {
			if f.lines[0]["lists"] == nil {
				t.Errorf("%s begins with %v", f.name, f.lines[0])
			}
			if info, err := os.Stat(filepath.Join(dir, f.name)); err != nil || info.Size() > 5000 {
				t.Errorf("%s: %v bytes, %v", f.name, info.Size(), err)
			}
		}
	}
}

// TestFull checks that a record waits for room for a limited time.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newScreener(t)
		l := open(t, dir, nil) // nobody writes yet
		l.Limit(0, 2, 3*time.Second)
		record := func(ctx context.Context, id string) error { return l.Record(ctx, newScreening(t, s, id)) }
		for _, id := range []string{"1", "2"} {
			if err := record(t.Context(), id); err != nil {
				t.Error(err)
			}
			if id == "1" { // all or none
				if err := l.Record(t.Context(), newScreening(t, s, "a"), newScreening(t, s, "b")); err != audit.ErrFull {
					t.Errorf("two records with room for one: %v", err)
				}
			}
		}
		start := time.Now()
		if err := record(t.Context(), "3"); err != audit.ErrFull || time.Since(start) != 3*time.Second {
			t.Errorf("a full queue: %v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := record(ctx, "4"); err != context.DeadlineExceeded {
			t.Errorf("the caller has left: %v", err)
		}
		got := make(chan error)
		go func() { got <- record(t.Context(), "5") }()
		synctest.Wait()
		if queued, written, refused := l.Stats(); l.Err() != nil || queued != 2 || written != 0 || refused != 4 {
			t.Errorf("%d queued, %d written, %d refused: %v", queued, written, refused, l.Err())
		}
		stop := run(l)
		if err := <-got; err != nil {
			t.Errorf("there is room, but %v", err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := record(t.Context(), "6"); err != audit.ErrClosed {
			t.Errorf("after the end: %v", err)
		}
		if d := cmp.Diff(map[string]int{"1": 1, "2": 1, "5": 1}, requests(read(t, dir))); d != "" {
			t.Error(d)
		}
	})
}

// TestGather counts the flushes under a steady load for which no caller waits, of a disk that takes a while: ten a
// second, and more if the queue fills up.
func TestGather(t *testing.T) {
	for _, tt := range []struct {
		queue int
		most  int64
	}{{8192, 11}, {20, 150}} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s := newScreener(t)
			l := open(t, dir, nil)
			l.Limit(0, tt.queue, 0)
			var flushes atomic.Int64
			l.Fail(nil, func(*os.File) error { flushes.Add(1); time.Sleep(5 * time.Millisecond); return nil })
			stop := run(l)
			for i := range 1000 {
				start := time.Now()
				if err := l.Record(t.Context(), newScreening(t, s, strconv.Itoa(i))); err != nil || time.Since(start) > 0 {
					t.Fatalf("record %d has waited %v: %v", i, time.Since(start), err)
				}
				time.Sleep(time.Millisecond)
			}
			if _, written, _ := l.Stats(); flushes.Load() > tt.most || written < 900 {
				t.Errorf("with room for %d: %d flushes of %d records in a second, want at most %d", tt.queue, flushes.Load(), written, tt.most)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

var errDisk = errors.New("no space left on device")

// TestDiskFull makes writes or flushes fail for a while. In the end, the files must
// have each accepted record once, and no other; during the failure, the Log must accept no record and
// report the failure.
func TestDiskFull(t *testing.T) {
	for _, tt := range []struct {
		name string
		full func(bad *atomic.Bool, l *audit.Log)
	}{
		{"write", func(bad *atomic.Bool, l *audit.Log) {
			l.Fail(func(f *os.File, text []byte, at int64) (int, error) {
				if bad.Load() { // half of the text goes in
					n, _ := f.WriteAt(text[:len(text)/2], at)
					return n, errDisk
				}
				return f.WriteAt(text, at)
			}, nil)
		}},
		{"flush", func(bad *atomic.Bool, l *audit.Log) {
			l.Fail(nil, func(f *os.File) error {
				if bad.Load() {
					return errDisk
				}
				return f.Sync()
			})
		}},
		{"head", func(bad *atomic.Bool, l *audit.Log) {
			l.Fail(func(f *os.File, text []byte, at int64) (int, error) {
				if bad.Load() && filepath.Base(f.Name()) == "audit.head" {
					return 0, errDisk
				}
				return f.WriteAt(text, at)
			}, nil)
		}},
	} {
		for _, durable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, durable %v", tt.name, durable), func(t *testing.T) {
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					var logged bytes.Buffer
					var bad atomic.Bool
					s := newScreener(t)
					l := open(t, dir, &audit.Options{Durable: durable, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
					tt.full(&bad, l)
					stop := run(l)
					record := func(id string) error { return l.Record(t.Context(), newScreening(t, s, id)) }
					if err := record("1"); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Second)
					bad.Store(true)
					if err := record("2"); durable != errors.Is(err, audit.ErrBroken) || durable != errors.Is(err, errDisk) {
						t.Errorf("the first record that cannot be written: %v", err)
					}
					time.Sleep(10*time.Second + 50*time.Millisecond) // it tries again each second, but not now
					synctest.Wait()
					if err := record("3"); !errors.Is(err, audit.ErrBroken) || !errors.Is(err, errDisk) {
						t.Errorf("a record while none can be written: %v", err)
					}
					if queued, written, _ := l.Stats(); !errors.Is(l.Err(), errDisk) || queued != 1 || written != 1 {
						t.Errorf("%d queued, %d written: %v", queued, written, l.Err())
					}
					if d := cmp.Diff(map[string]int{"1": 1}, requests(read(t, dir))); d != "" {
						t.Errorf("while none can be written: %s", d)
					}
					bad.Store(false)
					time.Sleep(2 * time.Second)
					if err := record("4"); err != nil {
						t.Errorf("once there is room: %v", err)
					}
					if err := stop(); err != nil {
						t.Error(err)
					}
					files := read(t, dir)
					want := map[string]int{"1": 1, "2": 1, "4": 1}
					if durable { // the second one was not answered
						delete(want, "2")
					}
					if d := cmp.Diff(want, requests(files)); d != "" || len(files) != 2 || durable != strings.Contains(text(t, dir), `"refused":1`) {
						t.Errorf("%d files: %s", len(files), d)
					}
					if queued, written, _ := l.Stats(); l.Err() != nil || queued != 0 || written != 3 {
						t.Errorf("%d queued, %d written: %v", queued, written, l.Err())
					}
					if n := strings.Count(logged.String(), "screening is refused"); n != 1 || strings.Contains(logged.String(), clean) {
						t.Errorf("logged %d times:\n%s", n, &logged)
					}
					intact(t, dir)
				})
			})
		}
	}
}

// TestDiskFullBetweenFiles fills up the disk in the middle of a batch that goes into
// several files, and checks that each record is written once.
func TestDiskFullBetweenFiles(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newScreener(t)
		l := open(t, dir, nil)
		l.Limit(1200, 0, 0)
		writes := 0
		l.Fail(func(f *os.File, text []byte, at int64) (int, error) {
			if writes++; writes == 4 {
				return 0, errDisk
			}
			return f.WriteAt(text, at)
		}, nil)
		want := map[string]int{}
		for i := range 20 {
			id := strconv.Itoa(i)
			want[id] = 1
			if err := l.Record(t.Context(), newScreening(t, s, id)); err != nil {
				t.Error(err)
			}
		}
		stop := run(l)
		time.Sleep(time.Minute)
		if err := stop(); err != nil {
			t.Error(err)
		}
		files := read(t, dir)
		if d := cmp.Diff(want, requests(files)); d != "" || len(files) < 5 {
			t.Errorf("%d files: %s", len(files), d)
		}
		if queued, written, refused := l.Stats(); l.Err() != nil || queued != 0 || written != 20 || refused != 0 {
			t.Errorf("%d queued, %d written, %d refused: %v", queued, written, refused, l.Err())
		}
	})
}

// TestStopWithoutRoom checks that Run reports the number of lost records.
func TestStopWithoutRoom(t *testing.T) {
	s := newScreener(t)
	l := open(t, t.TempDir(), nil)
	l.Fail(func(*os.File, []byte, int64) (int, error) { return 0, errDisk }, nil)
	for _, id := range []string{"1", "2"} {
		if err := l.Record(t.Context(), newScreening(t, s, id)); err != nil {
			t.Error(err)
		}
	}
	if err := run(l)(); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "2 records") {
		t.Errorf("Run has returned %v", err)
	}
}

// TestDays checks that a Log begins a file each day and keeps the configured number
// of files.
func TestDays(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts audit.Options
		want []string
	}{
		{"all", audit.Options{}, []string{"01T00", "02T01", "03T02", "04T03", "05T04"}},
		{"two days", audit.Options{MaxAge: 48 * time.Hour}, []string{"03T02", "04T03", "05T04"}},
	} {
		dir := t.TempDir()
		other := filepath.Join(dir, "audit-of-something-else.jsonl.gz")
		if err := os.WriteFile(other, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			s := newScreener(t)
			opts := tt.opts
			l := open(t, dir, &opts)
			stop := run(l)
			for day := range 5 {
				for range 2 {
					if err := l.Record(t.Context(), newScreening(t, s, strconv.Itoa(day))); err != nil {
						t.Error(err)
					}
					synctest.Wait()
				}
				time.Sleep(25 * time.Hour)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
		var got []string
		for _, f := range read(t, dir) {
			got = append(got, f.name[len("audit-200001"):][:len("01T00")])
			if len(f.lines) != 2 || f.lines[0]["lists"] == nil || f.lines[1]["lists"] != nil {
				t.Errorf("%s: %s has %d lines", tt.name, f.name, len(f.lines))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: the files are %q, want %q", tt.name, got, tt.want)
		}
		if _, err := os.Stat(other); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		intact(t, dir)
	}
}

// TestClockPutBack checks that the names of files sort in the order of writing even if
// the clock is set back.
func TestClockPutBack(t *testing.T) {
	dir, s := t.TempDir(), newScreener(t)
	ahead := filepath.Join(dir, "audit-29991231T235959.999999998Z.jsonl")
	if err := os.WriteFile(ahead, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir, &audit.Options{Durable: true})
	l.Limit(600, 0, 0)
	stop := run(l)
	for i := range 4 {
		if err := l.Record(t.Context(), newScreening(t, s, strconv.Itoa(i))); err != nil {
			t.Error(err)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	var names, ids []string
	for _, f := range read(t, dir) {
		names = append(names, f.name)
		for id := range requests([]fileOf{f}) {
			ids = append(ids, id)
		}
	}
	want := []string{
		filepath.Base(ahead),
		"audit-29991231T235959.999999999Z.jsonl",
		"audit-30000101T000000.000000000Z.jsonl",
		"audit-30000101T000000.000000001Z.jsonl",
	}
	if !slices.Equal(names, want) || !slices.Equal(ids, []string{"0", "1", "2", "3"}) {
		t.Errorf("the files are %q, and have in turn %q", names, ids)
	}
}

// TestRepair checks that an incomplete last line of the last file is replaced by a line that
// reports it, and that nothing else changes.
func TestRepair(t *testing.T) {
	const whole = `{"format":"walletscreen evidence 1","type":"screening"}` + "\n"
	long := strings.Repeat("x", 70<<10)
	for _, tt := range []struct{ name, text, kept, cut string }{
		{"empty", "", "", ""},
		{"whole", whole, whole, ""},
		{"half a line", whole + `{"type":"scree`, whole, `{"type":"scree`},
		{"only half a line", `{`, "", `{`},
		{"no line feed", whole + `{"type":"screening","request_id":"2"}`, whole, `{"type":"screening","request_id":"2"}`},
		{"zeros", whole + "\x00\x00\x00", whole, "\x00\x00\x00"},
		{"long", whole + long, whole, long[:64<<10]},
		{"block", strings.Repeat(" ", 4095) + "\n" + strings.Repeat("y", 4096), strings.Repeat(" ", 4095) + "\n", strings.Repeat("y", 4096)},
	} {
		dir := t.TempDir()
		before, last := filepath.Join(dir, "audit-20260101T000000.000000000Z.jsonl"), filepath.Join(dir, "audit-20260102T000000.000000000Z.jsonl")
		for name, text := range map[string]string{before: whole, last: tt.text} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the second time there is nothing to do
			if err := run(open(t, dir, nil))(); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(before); err != nil || string(got) != whole {
			t.Errorf("%s: the file before is %q, %v", tt.name, got, err)
		}
		got, err := os.ReadFile(last)
		rest, ok := strings.CutPrefix(string(got), tt.kept)
		if err != nil || !ok {
			t.Fatalf("%s: the file does not begin with what was whole: %.80q, %v", tt.name, got, err)
		}
		var line struct{ Type, Cut string }
		if rest != "" {
			if err := json.Unmarshal([]byte(rest), &line); err != nil || line.Type != "repair" || strings.Count(rest, "\n") != 1 {
				t.Errorf("%s: the file ends in %.80q, %v", tt.name, rest, err)
			}
		}
		if line.Cut != tt.cut {
			t.Errorf("%s: the file has cut %.80q, want %.80q", tt.name, line.Cut, tt.cut)
		}
	}
}

// TestKill repeatedly kills a program that writes a trail. Records that were flushed
// must be on the disk, and each line must be complete, except the last one of a file
// before it is opened again.
func TestKill(t *testing.T) {
	if dir := os.Getenv("AUDIT_TEST_DIR"); dir != "" {
		record(t, dir)
		return
	}
	dir := t.TempDir()
	acked := map[string]bool{}
	for round := range longtest.N(4, 12) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), "AUDIT_TEST_DIR="+dir, "AUDIT_TEST_ROUND="+strconv.Itoa(round))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			acked[lines.Text()] = true
			if n == 50+13*round { // and read on: what it has said before it died counts too
				cmd.Process.Kill()
			}
		}
		if err := cmd.Wait(); err == nil || len(acked) < 50*(round+1) {
			t.Fatalf("round %d: it has ended by itself: %v, %d records", round, err, len(acked))
		}
	}
	if err := run(open(t, dir, nil))(); err != nil {
		t.Fatal(err)
	}
	got := requests(read(t, dir))
	for id := range acked {
		if got[id] != 1 {
			t.Errorf("request %s was on record, and is in the files %d times", id, got[id])
		}
	}
	intact(t, dir)
}

// record writes records into dir, and prints the id of each one that is on the disk,
// until it is killed.
func record(t *testing.T, dir string) {
	s := newScreener(t)
	l := open(t, dir, &audit.Options{Durable: true})
	l.Limit(5000, 0, time.Minute)
	run(l)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 100_000 {
				id := fmt.Sprintf("%s-%d-%d", os.Getenv("AUDIT_TEST_ROUND"), w, i)
				if err := l.Record(t.Context(), newScreening(t, s, id)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(2)
				}
				io.WriteString(os.Stdout, id+"\n")
			}
		})
	}
	wg.Wait()
}

func BenchmarkRecord(b *testing.B) {
	for _, durable := range []bool{false, true} {
		b.Run(fmt.Sprintf("durable=%v", durable), func(b *testing.B) {
			b.ReportAllocs()
			s := newScreener(b)
			l := open(b, b.TempDir(), &audit.Options{Durable: durable})
			l.Limit(0, 0, time.Minute)
			stop := run(l)
			screening := newScreening(b, s, "id")
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if err := l.Record(b.Context(), screening); err != nil {
						b.Error(err)
					}
				}
			})
			b.StopTimer()
			if err := stop(); err != nil {
				b.Error(err)
			}
		})
	}
}

// TestRecordBatch records many screenings at once, more than have room, with the disk as it fails.
func TestRecordBatch(t *testing.T) {
	for _, durable := range []bool{false, true} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			var bad atomic.Bool
			s := newScreener(t)
			l := open(t, dir, &audit.Options{Durable: durable})
			l.Limit(0, 8, 0)
			l.Fail(nil, func(f *os.File) error {
				if bad.Load() {
					return errDisk
				}
				return f.Sync()
			})
			stop := run(l)
			record := func(id string, n int) error {
				all := make([]httpapi.Screening, n)
				for i := range all {
					all[i] = newScreening(t, s, fmt.Sprint(id, "-", i))
				}
				return l.Record(t.Context(), all...)
			}
			if err := record("a", 100); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
			bad.Store(true)
			if err := record("b", 5); durable != errors.Is(err, errDisk) {
				t.Errorf("without a disk: %v", err)
			}
			time.Sleep(time.Second)
			bad.Store(false)
			time.Sleep(2 * time.Second)
			if err := record("c", 1); err != nil {
				t.Error(err)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			got := requests(read(t, dir))
			for id, n := range got {
				if n != 1 {
					t.Errorf("%s is there %d times", id, n)
				}
			}
			want, lines := 106, uint64(106)
			if durable { // five were not answered, which one line says
				want, lines = 101, 102
			}
			if _, written, refused := l.Stats(); len(got) != want || written != lines || (refused == 5) != durable {
				t.Errorf("durable %v: %d lines, %d written, %d refused", durable, len(got), written, refused)
			}
		})
	}
}
