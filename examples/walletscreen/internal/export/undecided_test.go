package export

import (
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestUndecided asks by the statements of sql.md what a join cannot know: that is never
// clean, whatever the column joinable says.
func TestUndecided(t *testing.T) {
	const (
		listed, other = "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "0x098b716b8aaf21512996dc57eb0615e2383e2f95"
		tron          = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
		clean, hit    = "CLEAN_NO_MATCH", "CRITICAL"
		undecided     = "UNDECIDED"
	)
	entries := []sources.Entry{
		{Address: address.MustParse("ethereum", listed), Asset: "ETH", Kind: score.Sanctioned, Ref: "1", Name: "Lazarus Group", ListedAt: time.Unix(1e9, 0)},
		{Address: address.MustParse("bitcoin", "3P14159f73E4gFr7JterCCQh9QjiTjiZrG"), Kind: score.Sanctioned, Ref: "2"},
		{Listed: "ABCDEF0123", Kind: score.Sanctioned, Ref: "3"},
	}
	customers := []struct{ chain, address, joinable, want string }{
		{"ethereum", other, "true", clean},
		{"ethereum", other, "1", clean},
		{"polygon", other, "true", clean},
		{"tron", tron, "true", clean},
		{"ethereum", listed, "true", hit},
		{"ethereum", listed, "false", hit},
		{"polygon", "0x" + strings.ToUpper(listed[2:]), "true", hit},
		{"tron", "abcdef0123", "false", hit}, // listed, and no address
		{"ethereum", other, "false", undecided},
		{"ethereum", other, "", undecided},
		{"ethereum", "0x" + strings.ToUpper(other[2:]), "true", undecided},
		{"MATIC", other, "true", undecided},
		{"MATIC", listed, "true", undecided},
		{"Ethereum", other, "true", undecided},
		{"", other, "true", undecided},
		{"eip155:7", other, "true", undecided},
		{"ethereum", " " + listed, "true", undecided},
		{"ethereum", listed + " ", "true", undecided},
		{"ethereum", "", "true", undecided},
		{"ethereum", "ethereum:" + listed, "false", undecided},
		{"tron", tron[:33] + "9", "false", undecided},
		{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "false", undecided}, // a listed script may wrap its key
	}
	for _, c := range customers { // what validate says
		a, err := address.Parse(address.Chain(c.chain), c.address)
		if joins := err == nil && a.Normalized() == c.address && Joins(a); joins && c.want == undecided && c.joinable == "true" && c.chain != "eip155:7" ||
			!joins && c.want == clean {
			t.Errorf("%s %q: Joins reports %v", c.chain, c.address, joins)
		}
	}
	onEach(t, func(t *testing.T, db database) {
		s := screener(t, entries, nil)
		db.run(t, "create")
		db.run(t, "customers")
		for i, c := range customers {
			if _, err := db.Exec("insert into customers values ($1, $2, $3, $4)", i, c.chain, c.address, c.joinable); err != nil {
				t.Fatal(err)
			}
		}
		check := func(when string, want func(i int) string) {
			t.Helper()
			db.run(t, "labels")
			db.run(t, "verdicts")
			rows, err := db.Query("select id, level, score is null from verdicts order by id")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			n := 0
			for ; rows.Next(); n++ {
				var id int
				var level string
				var none bool
				if err := rows.Scan(&id, &level, &none); err != nil || id != n || level != want(id) || none != (level == undecided) {
					t.Errorf("%s: %q: %s, without a score %v, %v, want %s", when, customers[id], level, none, err, want(id))
				}
			}
			if n != len(customers) {
				t.Errorf("%s: %d verdicts of %d customers", when, n, len(customers))
			}
			db.exec(t, "drop table labels")
			db.exec(t, "drop table verdicts")
		}
		db.load(t, CSV, "listed_chains", nil, nil)
		check("without lists", func(int) string { return undecided })
		db.load(t, CSV, "listed_addresses", s, entries)
		check("with lists", func(i int) string { return customers[i].want })
		db.exec(
			t,
			"insert into listed_addresses select chain, 'x', any_case, match, kind, score, level, source, source_ref, name, listed_address, added_at, "+
				"not_listed_on, entity_listed_at, published_at, 'y' from listed_addresses",
		)
		check("with rows of two snapshots", func(i int) string {
			if customers[i].want == clean {
				return undecided
			}
			return customers[i].want
		})
		db.exec(t, "delete from listed_chains")
		check("without chains", func(int) string { return undecided })
	})
}
