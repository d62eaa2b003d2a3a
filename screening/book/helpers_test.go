package book_test

import (
	"context"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	lazarus = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	clean   = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
)

func newBook(t testing.TB, addresses ...address.Address) *book.Book {
	t.Helper()
	b, err := book.New(func(yield func(address.Address, error) bool) {
		for _, a := range addresses {
			if !yield(a, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// firstReport returns the Report of a first list, which contains lazarus.
func firstReport(t testing.TB) screening.Report {
	t.Helper()
	s, err := screening.New([]sources.Source{sources.Static(
		sources.Info{ID: "OFAC_SDN", Name: "OFAC SDN list", Jurisdiction: sources.US},
		sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, ListedAt: time.Unix(0, 0)},
	)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Refresh(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
