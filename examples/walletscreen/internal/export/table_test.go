package export

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestQuotes runs the SQL of lists with odd names, whichever way the session reads strings.
// The names arrive as they are, and none of them is run.
func TestQuotes(t *testing.T) {
	names := []string{
		"O'Brien; drop table victim; --",
		`back\`,
		`\'; drop table victim; --`,
		`it''s \'' \\'); drop table victim; --`,
		"a\nb",
		"a\r\nb",
		`say "hi"`,
		`\.`,
		`\N`,
		"NULL",
		"$$; drop table victim; $$",
		":HOME :'HOME'",
		"é ✓ 😀",
		"/*",
		`E'\x27`,
		"%s $1",
		"\u2019",
	}
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
			if err := conn.QueryRow(ctx, "select count(*) from listed_addresses, (select count(*) from victim) v where name = $1 and source_ref = $1 and "+
				"listed_address = $2",
				name, entries[i].Listed).Scan(&n); err != nil ||
				n != 1 {
				t.Errorf("standard_conforming_strings %s: %d rows named %q, %v", setting, n, name, err)
			}
		}
	}
}

// TestShown checks that no text of a list is a formula in CSV, or hides something in either
// format, and that addresses are never altered.
func TestShown(t *testing.T) {
	const odd, ton = "\u200b=1+1\u202e\u2066 \x1b[2J\u009b\ufeffZ", "-1:e56754f83426f69b09267bd876ac97c44821345b7e266bd956a7bfbfb98df35c"
	entries := []sources.Entry{
		{Address: address.MustParse("ton", ton), Listed: ton, Kind: score.Sanctioned, Ref: "-r", Name: odd},
		{Listed: ton[:40], Kind: score.Sanctioned, Ref: "@SUM(1)", Name: " +1"},
		{Listed: "=HYPERLINK(9) no address", Kind: score.Sanctioned, Ref: "r", Name: "n"},
		{Listed: "not an\u202e address\u200b", Kind: score.Sanctioned, Ref: "r", Name: "n"},
	}
	for format, wants := range map[Format][]string{
		CSV: {"ton," + ton + ",", ",'-r,'=1+1  [2J Z,'-1:", "any," + ton[:40] + ",", ",'@SUM(1),' +1,'-1:", "any,'=HYPERLINK(9) no address,",
			",'=HYPERLINK(9) no address,", "any,not an address,"},
		SQL: {"'" + ton + "'", `E'\U0000200b=1+1\U0000202e\U00002066 \U0000001b[2J\U0000009b\U0000feffZ'`, "'-r'", "'=HYPERLINK(9) no address'",
			`E'not an\U0000202e address`},
	} {
		var b bytes.Buffer
		if _, err := Write(context.Background(), &b, format, screener(t, entries, nil), sequence(entries)); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: there is no %q", format, want)
			}
		}
		if strings.ContainsFunc(b.String(), func(c rune) bool { return c != '\n' && c != '\t' && visible.Hidden(c) }) {
			t.Errorf("%s: characters that nobody sees", format)
		}
	}
}
