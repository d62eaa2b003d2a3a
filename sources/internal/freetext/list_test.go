package freetext_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

func TestCall(t *testing.T) {
	for _, tt := range []struct{ names, want string }{
		{"", ""},
		{"a b", "a"},
		{"a B c D", "B"},
		{"A b C", "A"},
	} {
		var h freetext.Holder
		for _, name := range append(strings.Fields(tt.names), "") {
			h.Call(name, name < "a") // capitals are main ones, and so is none
		}
		if h.Name != tt.want || h.Main != (tt.want != "" && tt.want < "a") {
			t.Errorf("names %q: %+v, want %q", tt.names, h, tt.want)
		}
	}
}

func TestList(t *testing.T) {
	var l freetext.List
	check := func(want string) {
		t.Helper()
		if err := l.Check(false); fmt.Sprint(err) != want {
			t.Errorf("Check = %v, want %s", err, want)
		}
	}
	check("no records")
	l.Revision.Records = 2
	check("no date of publication")
	l.Revision.Published = time.Date(2026, 9, 22, 0, 0, 0, 0, time.UTC)
	check("no wallet in 2 records")

	const text = "ETH: 0x175d44451403edf28469df03a9280c1197adb92c; XBT: no0address1is2this3but4long; 0x175d44451403edf28469df03a9280c1197adb92c."
	early, late := time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2021, 3, 4, 0, 0, 0, 0, time.UTC)
	alice, bob := &freetext.Holder{Ref: "A", Name: "Alice", ListedAt: early}, &freetext.Holder{Ref: "B"}
	alice.Find(late, text)
	alice.Find(early, text) // all was there before
	bob.Find(time.Time{}, "0x175D44451403Edf28469dF03A9280c1197ADb92c")
	alice.Find(time.Time{}, "0x175D44451403Edf28469dF03A9280c1197ADb92c") // a new text
	alice.Find(early, "0x175d44451403edf28469df03a9280c1197adb92c")       // without a ticker
	again := sources.Entry{Asset: "SOL", Listed: "xyz"}
	bob.AddNew(again)
	bob.AddNew(again)
	bob.Wallets = append(bob.Wallets, again)
	for _, h := range []*freetext.Holder{alice, {Ref: "C"}, bob} {
		if err := l.Add(h); err != nil {
			t.Fatal(err)
		}
	}
	check("<nil>")
	var got []string
	rev, err := l.Emit("entity", func(e sources.Entry) error {
		if e.Kind != score.Sanctioned {
			t.Errorf("entry %+v is not a sanction", e)
		}
		got = append(
			got,
			fmt.Sprintf("%s %s %s %.4s %t %d %d", e.Ref, e.Name, e.Asset, e.Listed, e.Address.IsValid(), e.ListedAt.Year(), e.EntityListedAt.Year()),
		)
		return nil
	})
	want := []string{
		"A Alice ETH 0x17 true 2021 2020", "A Alice XBT no0a false 2021 2020", "A Alice XBT 0x17 true 2021 2020",
		"A Alice  0x17 true 1 2020", "B   0x17 true 1 1", "B  SOL xyz false 1 1", "B  SOL xyz false 1 1",
	}
	if err != nil || rev != l.Revision || !slices.Equal(got, want) {
		t.Errorf("Emit = %+v, %v, with %q, want %q", rev, err, got, want)
	}
	stop := errors.New("stop")
	if rev, err := l.Emit("entity", func(sources.Entry) error { return stop }); !errors.Is(err, stop) || err.Error() != `entity "A": stop` || !rev.IsZero() {
		t.Errorf("Emit = %+v, %v, want the error of add", rev, err)
	}
	if err := l.Add(&freetext.Holder{Wallets: make([]sources.Entry, 1<<20)}); err == nil {
		t.Error("a list without a bound: no error")
	}
}

func TestDate(t *testing.T) {
	for text, want := range map[string]string{
		" 2026-09-22\u200b":         "2026-09-22T00:00:00Z",
		"2026-09-22T23:30:00-01:00": "2026-09-23T00:30:00Z",
		"2026-09-31":                "",
		"22.9.2026":                 "",
		"9999-12-31T23:59:59-10:00": "", // the year 10000 cannot be stored
		"0000-01-01T00:00:00+10:00": "",
	} {
		got := freetext.Date(text, time.DateOnly, time.RFC3339)
		if got.IsZero() != (want == "") || want != "" && got.Format(time.RFC3339) != want {
			t.Errorf("Date(%q) = %v, want %q", text, got, want)
		}
	}
}
