//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// A fleet is replicas over one PostgreSQL, in processes of their own, and clients that
// ask them all the time. Its own list grows: edition n blocks the accounts 1 to n.
type fleet struct {
	*testing.T
	db, own, dir string
	token        string
	client       http.Client

	fetched chan int     // numbers of the members that fetch the published list
	refuse  atomic.Int64 // number of the member that may not, the first to ask
	edition atomic.Int64 // of the own list
	granted atomic.Int64 // answers
	asked   atomic.Int64 // questions that may have been answered
	refused sync.Map     // codes of answers 503
	number  atomic.Int64 // of the last member

	mu      sync.Mutex
	members []*member
}

// A member is one replica of a fleet.
type member struct {
	*replica
	number int
	proxy  *proxy       // between it and the database
	seen   atomic.Int64 // the greatest account that it was seen to block
	gone   atomic.Bool  // it was told to end: it need not answer
	stops  atomic.Int64 // how often it was stopped or continued: odd while it is stopped
}

// newFleet starts PostgreSQL and the server of a published list, and makes a key.
func newFleet(t *testing.T, pg *postgrestest.Server) *fleet {
	f := &fleet{T: t, db: pg.URL(), dir: t.TempDir(), fetched: make(chan int, 1000)}
	f.client.Timeout = 30 * time.Second
	f.client.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	text, err := os.ReadFile(filepath.Join("..", "..", "sources", "badlist", "testdata", "addresses-darklist.json"))
	if err != nil {
		t.Fatal(err)
	}
	text = append(bytes.TrimRight(text, "]\n "), `,{"address":"`+account(1_000_000)+`"}]`...)
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		if f.refuse.CompareAndSwap(0, int64(n)) || f.refuse.Load() == int64(n) {
			http.NotFound(w, r) // which a fetch does not repeat
			return
		}
		f.fetched <- n
		w.Header().Set("ETag", `"1"`)
		w.Write(text)
	}))
	t.Cleanup(list.Close)
	f.own = filepath.Join(f.dir, "own.csv")
	f.token = keysOf(t, f.db, "create", "-id", "fleet")
	f.publish()
	f.dir = list.URL
	return f
}

// account returns the address of an account.
func account(n int64) string { return fmt.Sprintf("0x%040x", n+1) }

// publish writes the next edition of the own list, and returns its number.
func (f *fleet) publish() int64 {
	f.Helper()
	next := f.edition.Load() + 1
	var b bytes.Buffer
	for n := range next {
		fmt.Fprintln(&b, account(n+1))
	}
	if err := os.WriteFile(f.own+".new", b.Bytes(), 0o600); err != nil {
		f.Fatal(err)
	}
	f.edition.Store(next) // before a member can read it
	if err := os.Rename(f.own+".new", f.own); err != nil {
		f.Fatal(err)
	}
	return next
}

// add starts members at once.
func (f *fleet) add(count int, args ...string) []*member {
	f.Helper()
	added := make([]*member, count)
	var wg sync.WaitGroup
	for i := range added {
		wg.Go(func() {
			m := &member{number: int(f.number.Add(1))}
			var err error
			if m.proxy, err = newProxy(f.db); err != nil {
				f.Error(err)
				return
			}
			f.Cleanup(m.proxy.close)
			args := append([]string{"-lists", "COMMUNITY_BADLIST", "-require", "COMMUNITY_BADLIST", "-list", "OWN=" + f.own,
				"-mirror", fmt.Sprintf("COMMUNITY_BADLIST=%s/%d", f.dir, m.number)}, args...)
			m.replica, err = launch(f.T, m.proxy.url, args...)
			for begin := time.Now(); err != nil && strings.Contains(err.Error(), "the database cannot be opened") && time.Since(begin) < patience; {
				m.replica, err = launch(f.T, m.proxy.url, args...) // as a service manager does
			}
			if err != nil {
				f.Error(err)
				return
			}
			added[i] = m
		})
	}
	wg.Wait()
	if f.Failed() {
		f.FailNow()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, added...)
	return added
}

// end ends a member by a signal, and waits until it has ended.
func (f *fleet) end(m *member, sig os.Signal) {
	f.Helper()
	m.gone.Store(true)
	f.mu.Lock()
	f.members = slices.DeleteFunc(f.members, func(o *member) bool { return o == m })
	f.mu.Unlock()
	if err := m.process.Signal(sig); err != nil {
		f.Error(err)
	}
	select {
	case <-m.ended:
	case <-time.After(patience):
		f.Fatalf("member %d does not end:\n%s", m.number, m.said())
	}
}

// all returns the members that run.
func (f *fleet) all() []*member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.members)
}

// leader returns the member that fetches next, or has done so last, and has not ended.
func (f *fleet) leader() *member {
	f.Helper()
	deadline := time.After(patience)
	for {
		select {
		case n := <-f.fetched:
			if i := slices.IndexFunc(f.all(), func(m *member) bool { return m.number == n }); i >= 0 && len(f.fetched) == 0 {
				return f.all()[i]
			}
		case <-deadline:
			f.Fatalf("no member fetches within %v", patience)
		}
	}
}

// A fleetAnswer has the parts of an answer that the test compares.
type fleetAnswer struct {
	Score    int             `json:"score"`
	Labels   json.RawMessage `json:"labels"`
	Snapshot string          `json:"snapshot"`
	Code     string          `json:"code"` // of a problem
}

// ask asks a member about an account. It reports false if there was no answer, or 503.
//
// A server closes a connection on which nothing came for a time, and cannot know that a
// request is under way: one that was stopped finds both when it continues. So
// a request that got no byte of an answer on a connection out of the pool, or from a
// member that was stopped, is sent again, as clients do (RFC 9112, section 9.3.1).
func (f *fleet) ask(m *member, n int64) (a fleetAnswer, ok bool) {
	var pooled, answered bool
	ctx := httptrace.WithClientTrace(f.Context(), &httptrace.ClientTrace{
		GotConn:              func(c httptrace.GotConnInfo) { pooled = c.WasIdle },
		GotFirstResponseByte: func() { answered = true },
	})
	stops := m.stops.Load()
	req, err := http.NewRequestWithContext(ctx, "POST", m.url+"/api/v1/screen", strings.NewReader(`{"chain":"ethereum","address":"`+account(n)+`"}`))
	if err != nil {
		f.Error(err)
		return a, false
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Header.Set("Content-Type", "application/json")
	gone := m.gone.Load()
	f.asked.Add(1)
	resp, err := f.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&a)
	}
	switch {
	case err != nil:
		closed := errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF)
		if closed && !answered && (pooled || stops%2 != 0 || stops != m.stops.Load()) {
			return f.ask(m, n)
		}
		if !gone && !m.gone.Load() && f.Context().Err() == nil {
			f.Errorf("member %d does not answer: %v", m.number, err)
		}
		return a, false
	case resp.StatusCode == 503 && resp.Header.Get("Retry-After") != "":
		f.refused.Store(a.Code, true)
		f.asked.Add(-1)
		return a, false
	case resp.StatusCode == 429 && a.Code == "quota_exceeded":
		f.asked.Add(-1)
		return a, false
	case resp.StatusCode != 200:
		f.Errorf("member %d answers %s %+v, Retry-After %q", m.number, resp.Status, a, resp.Header.Get("Retry-After"))
		return a, false
	}
	f.granted.Add(1)
	return a, true
}

// load asks the members until the returned function is called. No account that is listed
// is ever clean, nor the other way round, and no member goes back to an older edition.
func (f *fleet) load(clients int) (stop func()) {
	ended := make(chan struct{})
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(time.Duration(longtest.N(100, 20)) * time.Millisecond):
				}
				all := f.all()
				if len(all) == 0 {
					continue
				}
				m := all[rand.IntN(len(all))]
				edition, seen := f.edition.Load(), m.seen.Load()
				n := rand.Int64N(edition+3) - 1 // -1 and 0 are clean, and so is what comes after the edition
				a, ok := f.ask(m, n)
				switch {
				case !ok:
				case n <= 0 && a.Score != 0:
					f.Errorf("member %d: an account that nobody lists has %+v", m.number, a)
				case n > 0 && n <= seen && a.Score != 100:
					f.Errorf("member %d: account %d has %+v, though it had blocked account %d", m.number, n, a, seen)
				case n > f.edition.Load() && a.Score != 0:
					f.Errorf("member %d: account %d has %+v in edition %d", m.number, n, a, edition)
				case n > seen && a.Score == 100:
					for seen < n && !m.seen.CompareAndSwap(seen, n) {
						seen = m.seen.Load()
					}
				}
			}
		})
	}
	return sync.OnceFunc(func() { close(ended); wg.Wait() })
}

// patience is how long members have to learn of an edition on a machine that is very busy.
// A member that is left behind never learns of the edition.
const patience = 5 * time.Minute

// settle publishes an edition, waits until all members answer from it, and checks that
// members with the same digest give the same answers, which in the end all do.
func (f *fleet) settle(what string) {
	f.Helper()
	begin, edition := time.Now(), f.publish()
	var first time.Time
	var last *member
	why := ""
	for {
		answers := make(map[string]string)
		var behind *member
		all := f.all()
		for _, m := range all {
			var text strings.Builder
			digest := ""
			for _, n := range []int64{edition, 1, 1_000_000} {
				a, ok := f.ask(m, n)
				if !ok || a.Score == 0 || digest != "" && digest != a.Snapshot {
					behind, last, digest = m, m, ""
					why = fmt.Sprintf("account %d has %+v, an answer: %v", n, a, ok)
					break
				}
				digest = a.Snapshot
				fmt.Fprintf(&text, "%d %s\n", a.Score, a.Labels)
			}
			if digest == "" {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			if other, ok := answers[digest]; ok && other != text.String() {
				f.Errorf("%s: member %d answers with the digest %s\n%swhere another one answers\n%s", what, m.number, digest, &text, other)
			}
			answers[digest] = text.String()
		}
		if behind == nil && len(answers) == 1 {
			f.Logf(
				"%s: %d members have edition %d %.1f s after it was published, %.1f s after the first of them",
				what,
				len(all),
				edition,
				time.Since(begin).Seconds(),
				time.Since(first).Seconds(),
			)
			if time.Since(begin) > 20*time.Second {
				f.Logf("member %d was the last, when %s:\n%s", last.number, why, last.said())
			}
			return
		}
		if time.Since(begin) > patience {
			for _, m := range all {
				f.Logf("the last lines of member %d:\n%s", m.number, m.said())
			}
			if behind == nil {
				f.Fatalf("%s: there are %d digests after %v", what, len(answers), patience)
			}
			f.Fatalf("%s: member %d has been left behind for %v: %s", what, behind.number, patience, why)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// stopFor stops a process for some time.
func (f *fleet) stopFor(m *member, d time.Duration) {
	f.Helper()
	m.stops.Add(1)
	defer m.stops.Add(1)
	if err := m.process.Signal(syscall.SIGSTOP); err != nil {
		f.Fatal(err)
	}
	time.Sleep(d)
	if err := m.process.Signal(syscall.SIGCONT); err != nil {
		f.Fatal(err)
	}
}

// A proxy passes connections on to a PostgreSQL, until they are cut.
type proxy struct {
	url      string
	socket   string
	listener net.Listener

	mu    sync.Mutex
	isCut bool
	conns map[net.Conn]bool
}

// newProxy returns a proxy to the database of a URL with the directory of a socket.
func newProxy(db string) (*proxy, error) {
	u, err := url.Parse(db)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{socket: filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"), listener: l, conns: make(map[net.Conn]bool)}
	p.url = "postgres://" + u.User.Username() + "@" + l.Addr().String() + u.Path + "?sslmode=disable"
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p, nil
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.Dial("unix", p.socket)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	isCut := p.isCut
	p.mu.Unlock()
	end := func() {
		client.Close()
		server.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, client)
		delete(p.conns, server)
	}
	if isCut {
		end()
		return
	}
	go func() { io.Copy(server, client); end() }()
	go func() { io.Copy(client, server); end() }()
}

// cut closes all connections, and those to come, until it is called again with false.
func (p *proxy) cut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = cut
	if cut {
		for c := range p.conns {
			c.Close()
		}
	}
}

func (p *proxy) close() { p.listener.Close(); p.cut(true) }

// TestFleet does to the replicas and to PostgreSQL what happens to them in a year. There
// is no wrong answer, no failed one but 503 with Retry-After, and nobody is left behind.
func TestFleet(t *testing.T) {
	pg := postgrestest.Start(t)
	f := newFleet(t, pg)
	pauses := time.Duration(longtest.N(1, 8)) * time.Second

	// All start at once on an empty database. The first to ask for the list does not get it:
	// another one does.
	f.add(longtest.N(3, 8))
	first := f.leader()
	f.settle("the first start")
	if refused := f.refuse.Load(); refused == 0 || refused == int64(first.number) {
		t.Errorf("member %d fetches, and %d was refused the list", first.number, refused)
	}
	select {
	case n := <-f.fetched:
		t.Errorf("member %d has fetched the list, too", n)
	default:
	}
	stop := f.load(longtest.N(2, 8))
	defer stop()

	// The member that fetches is killed: another one fetches.
	f.end(first, syscall.SIGKILL)
	begin := time.Now()
	leader := f.leader()
	t.Logf("member %d took over from %d after %.1f s", leader.number, first.number, time.Since(begin).Seconds())
	f.settle("the killed leader")

	// A new member starts with no network except to the database.
	f.add(1, "-offline")
	f.settle("a member without a network")

	// The connections of a follower and of the leader are cut. The short test cuts
	// the connections of all, when it kills PostgreSQL.
	follower := f.all()[slices.IndexFunc(f.all(), func(m *member) bool { return m != leader })]
	for _, m := range []*member{follower, leader}[:longtest.N(0, 2)] {
		m.proxy.cut(true)
		time.Sleep(pauses / 4)
		m.proxy.cut(false)
		f.settle("the cut connection")
	}

	// A process is stopped and continues.
	for _, m := range f.all()[:longtest.N(1, 2)] {
		f.stopFor(m, pauses)
		f.settle("the stopped process")
	}

	// PostgreSQL is killed and restarted.
	pg.Kill(t)
	time.Sleep(pauses / 4)
	if err := pg.Launch(); err != nil {
		t.Fatal(err)
	}
	f.settle("the killed PostgreSQL")

	// PostgreSQL is stopped, and continues.
	resume := pg.Pause(t)
	time.Sleep(pauses)
	resume()
	f.settle("the stopped PostgreSQL")

	// Each is replaced by a new one.
	for _, m := range f.all()[:longtest.N(1, 8)] {
		f.add(1)
		f.end(m, syscall.SIGTERM)
	}
	f.settle("the rolling restart")
	stop()

	f.refused.Range(func(code, _ any) bool {
		t.Logf("some answers were 503 %v", code)
		return true
	})
	for _, m := range f.all() {
		f.end(m, syscall.SIGTERM)
	}
	var key struct{ Used int64 }
	if err := json.Unmarshal([]byte(keysOf(t, f.db, "list", "-json")), &key); err != nil {
		t.Fatal(err)
	}
	// When a member or PostgreSQL is killed, what the member has answered and not told of is
	// lost. So is its block, and what it told of counts twice if PostgreSQL did not confirm it.
	granted, lost := f.granted.Load(), lostAtEnd*int64(f.number.Load())
	t.Logf("%d answers, %d counted", granted, key.Used)
	if key.Used > f.asked.Load()+lost || key.Used < granted-lost {
		t.Errorf("the key has used %d screenings of %d answers to %d questions", key.Used, granted, f.asked.Load())
	}
}
