package sources_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

func ExampleFile() {
	// Load OFAC's list from a file that another program downloads.
	src := sources.File(ofac.New(nil).Info(), "testdata/no-such-file.xml", ofac.Parse)
	_, err := src.Load(context.Background(), sources.Revision{}, func(sources.Entry) error { return nil })
	fmt.Println(src.Info().ID, err)
	// Output: OFAC_SDN stat testdata/no-such-file.xml: no such file or directory
}

func ExampleSeeded() {
	// Load the live list, and until it has been fetched, the bundled one.
	src := sources.Seeded(ofac.New(nil), bundle.OFAC())
	rev, err := src.Load(context.Background(), sources.Revision{}, func(sources.Entry) error { return nil })
	fmt.Println(src.Info().ID, rev.Completeness == sources.Partial, err)
	// Output: OFAC_SDN false <nil>
}

func ExampleStatic() {
	info := sources.Info{ID: "WATCHED", Name: "Addresses that we watch", Jurisdiction: sources.Operator}
	src := sources.Static(info, sources.Entry{
		Address: address.MustParse("tron", "TT2T17KZhoDu47i2E4FWxfG79zdkEWkU9N"), Kind: score.Blocked, Ref: "CASE-7",
	})
	rev, err := src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
		fmt.Println(e.Kind, e.Address, e.Ref)
		return nil
	})
	fmt.Println(rev.Records, err)
	// Output:
	// BLOCKED tron:TT2T17KZhoDu47i2E4FWxfG79zdkEWkU9N CASE-7
	// 1 <nil>
}

// nbctf describes the orders of Israel's National Bureau for Counter Terror Financing.
var nbctf = sources.Info{ID: "NBCTF", Name: "NBCTF seizure orders", Jurisdiction: "IL", Licence: "Israeli government data"}

// parseNBCTF reads the orders as exported in CSV from the site of the bureau. The
// column Assets has wallets, and user ids of exchanges, which are not addresses.
func parseNBCTF(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil || len(rows) == 0 {
		return sources.Revision{}, fmt.Errorf("no orders: %w", err)
	}
	column := make(map[string]int)
	for i, name := range rows[0] {
		column[strings.TrimPrefix(name, "\ufeff")] = i
	}
	for _, row := range rows[1:] {
		text := func(name string) string { return row[column[name]] }
		until, err := time.Parse(time.DateOnly, text("Validity Date"))
		if err == nil && time.Now().After(until) || text("Is Canceled") == "True" {
			continue
		}
		listed, _ := time.Parse(time.DateOnly, text("Order Date"))
		found := address.FindAll(text("Assets"))
		for _, f := range found {
			err := add(sources.Entry{Address: f.Address, Kind: score.TerroristFinancing, Ref: text("Name en"), ListedAt: listed})
			if err != nil {
				return sources.Revision{}, err
			}
		}
		if len(found) == 0 { // an order without an address does not end the list: show it as an anomaly
			if err := add(sources.Entry{Listed: "(no address)", Kind: score.TerroristFinancing, Ref: text("Name en"), ListedAt: listed}); err != nil {
				return sources.Revision{}, err
			}
		}
	}
	return sources.Revision{Records: len(rows) - 1, OpenEnded: true}, nil
}

// To add a list of another publisher, describe it and write a function that parses it.
// Pass the function to sources.File, which watches a file.
func ExampleSource() {
	const orders = "\ufeffId,Name en,Order Date,Validity Date,Is Canceled,Assets\n" +
		"b9f5,ASO 06/26,2026-02-16,2999-02-16,False,\"Id: bfac\nName: TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY\n-----\nId: 1d83\nName: 35561732\"\n" +
		"83ca,FO 50/25,2025-10-23,2020-04-05,False,Name: TSoQQCZ3DrZ1us6RcHGHd9UXp6bM6PukNQ\n" +
		"83cb,FO 51/25,2025-10-24,2999-04-05,False,\n"
	rev, err := parseNBCTF(strings.NewReader(orders), func(e sources.Entry) error {
		fmt.Println(e.Ref, e.Text())
		return nil
	})
	fmt.Println(nbctf.Validate() == nil, rev.Records, err)
	// Output:
	// ASO 06/26 TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY
	// FO 51/25 (no address)
	// true 3 <nil>
}

// Japan's Ministry of Finance prints wallets in the remarks of its list. A few lines of
// code find the addresses in the text.
func ExampleInfo() {
	mof := sources.Info{ID: "MOF", Name: "Japan MOF economic sanctions", Jurisdiction: "JP", RefURL: "https://www.mof.go.jp/"}
	parse := func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		text, err := io.ReadAll(io.LimitReader(r, 64<<20))
		if err != nil {
			return sources.Revision{}, err
		}
		found := address.FindAll(string(text))
		for _, f := range found {
			if err := add(sources.Entry{Address: f.Address, Kind: score.Sanctioned, Ref: "remarks"}); err != nil {
				return sources.Revision{}, err
			}
		}
		return sources.Revision{Records: len(found), OpenEnded: true}, nil
	}
	rev, err := parse(strings.NewReader("ETH 0x098B716B8Aaf21512996dC57EB0615e2383E2f96; user id 35561732"), func(sources.Entry) error { return nil })
	fmt.Println(mof.Validate() == nil, rev.Records, err)
	// Output: true 1 <nil>
}
