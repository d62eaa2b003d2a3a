package book_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// A Book has the addresses of all customers. After each change of the lists, it finds
// the addresses whose verdict has changed.
func ExampleBook_Changed() {
	// From time to time, for example from a database.
	rows := []struct {
		chain address.Chain
		text  string
	}{
		{"bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"},
		{"ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"},
	}
	mine, err := book.New(func(yield func(address.Address, error) bool) {
		for _, row := range rows {
			if !yield(address.Normalize(row.chain, row.text)) {
				return
			}
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := screening.New([]sources.Source{bundle.OFAC()}, &screening.Options{
		Report: func(r screening.Report) {
			for c, err := range mine.Changed(r) {
				if err != nil {
					fmt.Println(err)
					return
				}
				fmt.Printf("%v: %s, was %q\n", c.Address, c.After.Level, c.Before.Level)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// bsc:0x098b716b8aaf21512996dc57eb0615e2383e2f96: CRITICAL, was ""
}

// A program that is restarted asks for each change once.
func ExampleBook_ChangedOnce() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	mine, err := book.New(func(yield func(address.Address, error) bool) {
		yield(address.Parse("bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 { // starts of the program
		s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := s.Refresh(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		for c, err := range mine.ChangedOnce(filepath.Join(dir, "told"), report) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%v: %s\n", c.Address, c.After.Level)
		}
	}
	// Output:
	// bsc:0x098b716b8aaf21512996dc57eb0615e2383e2f96: CRITICAL
}

// An error in the addresses is returned: no Book is made of a part of them.
func ExampleNew() {
	_, err := book.New(func(yield func(address.Address, error) bool) {
		yield(address.Parse("bitcoin", "bc1 typo"))
	})
	fmt.Println(err != nil)
	// Output:
	// true
}
