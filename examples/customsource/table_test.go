package customsource_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/examples/customsource"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// A memory is a database driver for one table. After the last row it fails with err,
// if that is not nil. The example uses only database/sql, so a real driver would add
// modules and show nothing more.
type memory struct {
	rows [][]driver.Value
	err  error
}

func (m *memory) Connect(context.Context) (driver.Conn, error) { return conn{m}, nil }
func (m *memory) Driver() driver.Driver                        { return nil }

type conn struct{ m *memory }

func (conn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("only queries") }
func (conn) Close() error                        { return nil }
func (conn) Begin() (driver.Tx, error)           { return nil, errors.New("only queries") }

func (c conn) QueryContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if !strings.HasSuffix(query, "FROM watched ORDER BY id") {
		return nil, fmt.Errorf("query %q", query)
	}
	return &cursor{m: c.m}, ctx.Err()
}

type cursor struct {
	m *memory
	n int
}

func (*cursor) Columns() []string {
	return []string{"id", "address", "ticker", "reason", "added_at"}
}
func (*cursor) Close() error { return nil }

func (c *cursor) Next(dest []driver.Value) error {
	if c.n == len(c.m.rows) {
		if c.m.err != nil {
			return c.m.err
		}
		return io.EOF
	}
	copy(dest, c.m.rows[c.n])
	c.n++
	return nil
}

var (
	added = time.Date(2026, 10, 1, 12, 0, 0, 0, time.FixedZone("CEST", 2*3600))
	rows  = [][]driver.Value{
		{int64(1), "0x52908400098527886E0F7030069857D2E4169EE7", "ETH", "drainer", added}, // from EIP-55
		{int64(2), "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "", "asked twice", added},        // from the Bitcoin wiki
		{int64(3), "no address at all", "", "as it was reported", added},
	}
)

func TestConforms(t *testing.T) {
	sourcetest.Run(t, func(*testing.T) sources.Source {
		return customsource.Table(sql.OpenDB(&memory{rows: rows}))
	})
}

func TestErrors(t *testing.T) {
	broken := errors.New("connection lost")
	for name, tt := range map[string]struct {
		db   memory
		want string
	}{
		"truncated":    {memory{rows, broken}, "connection lost"},
		"empty":        {memory{}, "the table is empty"},
		"no address":   {memory{rows: [][]driver.Value{rows[0], {int64(7), " ", "", "", added}}}, "id 7"},
		"null":         {memory{rows: [][]driver.Value{{int64(1), nil, "", "", added}}}, "row 1"},
		"another type": {memory{rows: [][]driver.Value{{"x", "y", "", "", added}}}, "row 1"},
	} {
		src := customsource.Table(sql.OpenDB(&tt.db))
		_, err := src.Load(context.Background(), sources.Revision{}, func(sources.Entry) error {
			t.Errorf("%s: Load added an entry", name)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Load: %v, want an error that says %q", name, err, tt.want)
		}
	}
}

// Example screens an address against the table.
func Example() {
	db := sql.OpenDB(&memory{rows: rows}) // sql.Open with your driver
	s, err := screening.New([]sources.Source{customsource.Table(db)}, &screening.Options{
		Schedule: map[string]screening.Schedule{"WATCHED": {Every: time.Minute, Timeout: 10 * time.Second}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.ScreenText("polygon", "0x52908400098527886e0f7030069857d2e4169ee7")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Score, r.Level)
	for _, l := range r.Labels {
		fmt.Println(l.Source, l.Kind, l.Match, l.Ref, l.Name, l.AddedAt)
	}
	fmt.Println(len(s.Anomalies("WATCHED")), "row does not decode")
	// Output:
	// 70 HIGH
	// WATCHED SCAM family 1 drainer 2026-10-01 10:00:00 +0000 UTC
	// 1 row does not decode
}
