package export

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/sources"
)

// A database is one that sql.md has statements for.
type database struct {
	*sql.DB
	sqlite     bool
	statements map[string]string
}

// onEach runs a test on PostgreSQL and on SQLite.
func onEach(t *testing.T, test func(*testing.T, database)) {
	for _, name := range []string{"PostgreSQL", "SQLite"} {
		t.Run(name, func(t *testing.T) {
			driver, dsn := "sqlite", filepath.Join(t.TempDir(), "db")
			if name == "PostgreSQL" {
				driver, dsn = "pgx", postgrestest.URL(t)
			}
			db, err := sql.Open(driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			test(t, database{db, driver == "sqlite", statements(t)})
		})
	}
}

// dialect returns a statement of sql.md as it says how to change it for SQLite.
func (db database) dialect(statement string) string {
	if db.sqlite {
		return strings.ReplaceAll(statement, ` collate "C"`, "")
	}
	return statement
}

// run runs a statement of sql.md.
func (db database) run(t *testing.T, name string) {
	t.Helper()
	if db.statements[name] == "" {
		t.Fatalf("sql.md has no statement %s", name)
	}
	begun := time.Now()
	db.exec(t, db.dialect(db.statements[name]))
	t.Logf("%s took %v", name, time.Since(begun).Round(time.Millisecond))
}

func (db database) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%.200s: %v", statement, err)
	}
}

// insert inserts rows of text, as a file of CSV has it.
func (db database) insert(t *testing.T, table string, columns []string, rows iter.Seq[[]string]) {
	t.Helper()
	if !db.sqlite {
		db.asCopy(t, func(w *csv.Writer) {
			w.Write(columns)
			rows(func(row []string) bool { return w.Write(row) == nil })
		}, "copy "+table+" from stdin with (format csv, header)")
		return
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	insert, err := tx.Prepare("insert into " + table + " values (?" + strings.Repeat(", ?", len(columns)-1) + ")")
	if err != nil {
		t.Fatal(err)
	}
	for row := range rows {
		values := make([]any, len(row))
		for i, v := range row {
			values[i] = v
		}
		if _, err := insert.Exec(values...); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// asCopy copies a file of CSV into PostgreSQL.
func (db database) asCopy(t *testing.T, write func(*csv.Writer), statement string) {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	write(w)
	w.Flush()
	db.raw(t, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.PgConn().CopyFrom(ctx, &b, statement)
		return err
	})
}

func (db database) raw(t *testing.T, f func(context.Context, *pgx.Conn) error) {
	t.Helper()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(c any) error { return f(ctx, c.(*stdlib.Conn).Conn()) }); err != nil {
		t.Fatal(err)
	}
}

// load exports a table, and loads it into the database.
func (db database) load(t *testing.T, f Format, table string, s Screener, entries []sources.Entry) {
	t.Helper()
	var b bytes.Buffer
	var err error
	if table == "listed_chains" {
		err = WriteChains(&b, f)
	} else {
		_, err = Write(context.Background(), &b, f, s, sequence(entries))
	}
	switch {
	case err != nil:
		t.Fatal(err)
	case f == SQL:
		db.raw(t, func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, b.String())
			return err
		})
	case db.sqlite:
		all, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		db.insert(t, table, all[0], func(yield func([]string) bool) {
			for _, row := range all[1:] {
				if !yield(row) {
					return
				}
			}
		})
	default:
		db.raw(t, func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.PgConn().CopyFrom(ctx, &b, copyOf(t, table))
			return err
		})
	}
}

// copyOf returns the statement that loads a table of CSV: sql.md has it for psql.
func copyOf(t *testing.T, table string) string {
	t.Helper()
	for l := range strings.Lines(document(t)) {
		if rest, ok := strings.CutPrefix(l, "\\copy "+table+" from '"+table+".csv' "); ok {
			return "copy " + table + " from stdin " + rest
		}
	}
	t.Fatalf("sql.md does not say how %s is loaded", table)
	return ""
}
