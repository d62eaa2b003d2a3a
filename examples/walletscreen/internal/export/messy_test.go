package export

import (
	"strconv"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	messy "github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestMessyTable joins the rows that TestMessyTable of examples/walletscreen screens, as they
// are written, and in the form that validate -in adds. Each verdict is as ScreenInput gives it, or
// UNDECIDED.
func TestMessyTable(t *testing.T) {
	_, rows := messy.Messy(longtest.N(1000, 5000))
	var entries []sources.Entry
	for _, a := range messy.MessyListed() {
		entries = append(entries, sources.Entry{Address: a, Kind: score.Sanctioned, Ref: "m"})
	}
	s := screener(t, entries, nil)
	var want []string // of each customer
	var customers [][]string
	add := func(chain, text, level string) {
		a, err := address.Parse(address.Chain(chain), text)
		joinable := err == nil && a.Normalized() == text && Joins(a) // as validate -in says
		customers = append(customers, []string{strconv.Itoa(len(customers)), chain, text, strconv.FormatBool(joinable)})
		want = append(want, level)
	}
	for _, r := range rows {
		result, reading, err := s.ScreenInput(r.Chain, r.Cell)
		level := "UNDECIDED"
		if len(result.Labels) > 0 || err == nil && len(result.Doubts) == 0 {
			level = string(result.Level)
		}
		add(r.Chain, r.Cell, level)
		if reading.Err == nil && len(reading.Addresses) > 0 {
			a := reading.Addresses[0]
			add(string(a.Chain()), a.Normalized(), level)
		}
	}
	onEach(t, func(t *testing.T, db database) {
		db.run(t, "create")
		db.run(t, "customers")
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range customers {
			if _, err := tx.Exec("insert into customers values ($1, $2, $3, $4)", c[0], c[1], c[2], c[3]); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		db.load(t, CSV, "listed_chains", nil, nil)
		db.load(t, CSV, "listed_addresses", s, entries)
		db.run(t, "labels")
		db.run(t, "verdicts")
		all, err := db.Query("select id, level from verdicts")
		if err != nil {
			t.Fatal(err)
		}
		defer all.Close()
		n, same := 0, 0
		for ; all.Next(); n++ {
			var id int
			var level string
			if err := all.Scan(&id, &level); err != nil {
				t.Fatal(err)
			}
			if level == want[id] {
				same++
			} else if level != "UNDECIDED" {
				t.Errorf("%q: %s, want %s or UNDECIDED", customers[id], level, want[id])
			}
		}
		if n != len(customers) || same < n/3 {
			t.Errorf("%d verdicts of %d customers, %d as those of ScreenInput", n, len(customers), same)
		}
	})
}
