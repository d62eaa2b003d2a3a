package main

import (
	"context"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/sources"
)

// A changing source has another list at each load.
type changing struct {
	sources.Source
	lists [][]sources.Entry
}

func (c *changing) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	next := sources.Static(c.Info(), c.lists[0]...)
	c.lists = c.lists[1:]
	return next.Load(ctx, prev, add)
}

func TestReport(t *testing.T) {
	customers, err := book.New(read(strings.NewReader(`polygon 0x098B716B8Aaf21512996dC57EB0615e2383E2f96
tron TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa
`)))
	if err != nil {
		t.Fatal(err)
	}
	scam := func(c address.Chain, text string) sources.Entry {
		return sources.Entry{Address: address.MustParse(c, text), Kind: score.Scam, Ref: text}
	}
	lazarus := scam("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	info := sources.Info{ID: "OURS", Name: "Our list", Jurisdiction: sources.Operator}
	src := &changing{sources.Static(info), [][]sources.Entry{
		{lazarus},
		{lazarus, scam("tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC")},
		{scam("tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC")},
	}}
	var out strings.Builder
	s, err := screening.New([]sources.Source{src}, &screening.Options{
		Report: func(r screening.Report) { report(&out, customers, r) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96 is HIGH\n",
		"tron:TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC is HIGH, was CLEAN_NO_MATCH\n",
		"polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96 is CLEAN_NO_MATCH, was HIGH\n",
	} {
		out.Reset()
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("report writes %q, want %q", out.String(), want)
		}
	}
}

func TestRead(t *testing.T) {
	if _, err := book.New(read(strings.NewReader("bitcoin 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM1\n"))); err == nil {
		t.Error("a book with a mistyped customer")
	}
}
