package export

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestQuotes runs the SQL of lists with odd names, whichever way the session reads strings.
// The names arrive as they are, and none of them is run.
func TestQuotes(t *testing.T) {
	names := []string{"O'Brien; drop table victim; --", `back\`, `\'; drop table victim; --`, `it''s \'' \\'); drop table victim; --`, "a\nb", "a\r\nb", `say "hi"`, `\.`, `\N`, "NULL",
		"$$; drop table victim; $$", ":HOME :'HOME'", "é ✓ 😀", "/*", `E'\x27`, "%s $1", "\u2019"}
	var entries []sources.Entry
	for i, name := range names {
		entries = append(entries, sources.Entry{Listed: fmt.Sprintf("%s, no address, %d", name, i), Kind: score.Sanctioned, Ref: name, Name: name})
	}
	var script bytes.Buffer
	if _, err := Write(context.Background(), &script, SQL, screener(t, entries, nil), sequence(entries)); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, setting := range []string{"on", "off"} {
		conn, err := pgx.Connect(ctx, postgrestest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		for _, sql := range []string{"create table victim (n int)", "set standard_conforming_strings = " + setting, script.String()} {
			if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
				t.Fatalf("standard_conforming_strings %s: %v", setting, err)
			}
		}
		for i, name := range names {
			var n int
			if err := conn.QueryRow(ctx, "select count(*) from listed_addresses, (select count(*) from victim) v where name = $1 and source_ref = $1 and listed_address = $2",
				name, entries[i].Listed).Scan(&n); err != nil || n != 1 {
				t.Errorf("standard_conforming_strings %s: %d rows named %q, %v", setting, n, name, err)
			}
		}
	}
}
