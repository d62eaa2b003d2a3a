package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

const lines = `polygon 0x098B716B8Aaf21512996dC57EB0615e2383E2f96
tron TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
`

func load(t testing.TB) *screening.Screener {
	t.Helper()
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScreenNotLoaded checks that nothing is clean before the list is loaded.
func TestScreenNotLoaded(t *testing.T) {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := screen(s, strings.NewReader(lines), &out); !errors.Is(err, screening.ErrNotLoaded) || out.Len() > 0 {
		t.Errorf("%q, %v; want nothing but ErrNotLoaded", out.String(), err)
	}
}

func TestScreen(t *testing.T) {
	var out strings.Builder
	if err := screen(load(t), strings.NewReader(strings.Repeat(lines, 500)), &out); err != nil {
		t.Fatal(err)
	}
	const want = `CRITICAL 100 polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96
CLEAN_NO_MATCH 0 tron:TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
`
	if out.String() != strings.Repeat(want, 500) {
		t.Errorf("got\n%.500s…\nwant 500 times\n%s", out.String(), want)
	}
}

// TestScreenInvalid checks that the lines before an invalid one are answered.
func TestScreenInvalid(t *testing.T) {
	var out strings.Builder
	err := screen(load(t), strings.NewReader(lines+"bitcoin 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM1\n"+lines), &out)
	if !errors.Is(err, address.ErrChecksum) || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("error %v, want one of the checksum in line 3", err)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("%d lines before the invalid one, want 2", n)
	}
}

// TestScreenDoubt checks that an address whose capitals do not verify is not clean.
func TestScreenDoubt(t *testing.T) {
	var out strings.Builder
	err := screen(load(t), strings.NewReader("ETH 0xdAC17F958D2ee523a2206206994597C13D831ec8\n"), &out)
	if want := "UNDECIDED [capitals] ethereum:0xdac17f958d2ee523a2206206994597c13d831ec8\n"; err != nil || out.String() != want {
		t.Errorf("%q, %v, want %q", out.String(), err, want)
	}
}
