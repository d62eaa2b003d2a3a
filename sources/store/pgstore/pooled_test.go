package pgstore_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/pgstore"
)

// A pooler is a proxy of a PostgreSQL that gives a client another connection for each
// transaction, as PgBouncer does with pool_mode=transaction.
type pooler struct {
	url string // of the server

	mu     sync.Mutex
	idle   []*pgconn.HijackedConn
	oldest bool // take the connection that was idle longest
}

// take returns a connection to the server that no transaction uses.
func (p *pooler) take(ctx context.Context) (*pgconn.HijackedConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		i := n - 1
		if p.oldest {
			i = 0
		}
		conn := p.idle[i]
		p.idle = append(p.idle[:i:i], p.idle[i+1:]...)
		return conn, nil
	}
	conn, err := pgconn.Connect(ctx, p.url)
	if err != nil {
		return nil, err
	}
	return conn.Hijack()
}

func (p *pooler) put(conn *pgconn.HijackedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, conn)
}

// serve answers a client until it ends.
func (p *pooler) serve(ctx context.Context, client net.Conn) error {
	defer client.Close()
	b := pgproto3.NewBackend(client, client)
	for {
		m, err := b.ReceiveStartupMessage()
		if err != nil {
			return err
		}
		if _, ok := m.(*pgproto3.StartupMessage); ok {
			break
		}
		if _, err := client.Write([]byte("N")); err != nil { // no TLS
			return err
		}
	}
	server, err := p.take(ctx)
	if err != nil {
		return err
	}
	b.Send(&pgproto3.AuthenticationOk{})
	for name, value := range server.ParameterStatuses {
		b.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	p.put(server)
	b.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{1, 2, 3, 4}})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	server = nil
	for {
		if err := b.Flush(); err != nil {
			return err
		}
		m, err := b.Receive()
		if err != nil {
			return err
		}
		if _, ok := m.(*pgproto3.Terminate); ok {
			return nil
		}
		if server == nil {
			if server, err = p.take(ctx); err != nil {
				return err
			}
		}
		server.Frontend.Send(m)
		if err := server.Frontend.Flush(); err != nil {
			return err
		}
		switch m.(type) {
		case *pgproto3.Query, *pgproto3.Sync:
		default:
			continue
		}
		for {
			answer, err := server.Frontend.Receive()
			if err != nil {
				return err
			}
			b.Send(answer)
			ready, ok := answer.(*pgproto3.ReadyForQuery)
			if !ok {
				continue
			}
			if ready.TxStatus == 'I' {
				p.put(server)
				server = nil
			}
			break
		}
	}
}

// start listens, and returns the URL for clients.
func (p *pooler) start(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(context.Background(), client)
		}
	}()
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = net.JoinHostPort(host, port)
	q := u.Query()
	q.Set("host", host)
	q.Set("port", port)
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	return u.String()
}

// TestPooled opens databases through connection pools that share sessions.
func TestPooled(t *testing.T) {
	for _, oldest := range []bool{false, true} {
		p := &pooler{url: postgrestest.URL(t), oldest: oldest}
		proxy := p.start(t)
		for _, connections := range []int{1, 3} { // more than one round
			var all []*pgconn.HijackedConn
			for range connections {
				conn, err := p.take(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, conn)
			}
			for _, conn := range all {
				p.put(conn)
			}
			st, err := pgstore.Open(t.Context(), proxy)
			if !errors.Is(err, pgstore.ErrPooled) {
				t.Errorf("%d connections, the oldest %v: %v, want ErrPooled", connections, oldest, err)
			}
			if err == nil {
				st.Close()
			}
		}
	}
}

// TestVersion opens tables of an older and of a newer version.
func TestVersion(t *testing.T) {
	url := postgrestest.URL(t)
	open(t, url).Close()
	for _, comment := range []string{"null", "'walletscreen lists, version 3'"} {
		execute(t, url, "comment on table walletscreen_event is "+comment)
		if _, err := pgstore.Open(t.Context(), url); !errors.Is(err, store.ErrVersion) ||
			!strings.Contains(err.Error(), "want \"walletscreen lists, version 2\"") {
			t.Errorf("%s: %v, want ErrVersion", comment, err)
		}
	}
}

// TestFormer finds the tables of the version before: they stay as they are, and a program of that version is refused.
func TestFormer(t *testing.T) {
	url := postgrestest.URL(t)
	execute(t, url, "create table walletscreen_journal (lines bytea); comment on table walletscreen_journal is 'walletscreen lists, version 1'")
	for _, first := range []bool{true, false} {
		if got := open(t, url).Former(); got != first {
			t.Errorf("Former: %v, want %v", got, first)
		}
	}
	execute(t, url, "do $$ begin if obj_description('walletscreen_journal'::regclass) = 'walletscreen lists, version 1' then raise 'not marked'; end if; end $$")
}
