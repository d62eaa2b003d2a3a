package stablecoin_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

func ExampleNew() {
	node := httptest.NewServer(eventful()) // a real one is https
	defer node.Close()
	dir, err := os.MkdirTemp("", "freezes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	s, err := screening.New([]sources.Source{
		stablecoin.New(node.URL, &stablecoin.Options{
			StateFile: filepath.Join(dir, "freezes.state"),
			AllowHTTP: true,
			Contracts: contracts(), // nil for the real ones
		}),
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	r, err := s.Screen(address.MustParse("arbitrum", "0x0000000000000000000000000000000000abc005"))
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range r.Labels {
		fmt.Println(r.Level, l.Kind, l.Match, l.Source, l.Name, l.AddedAt.Format("2006-01-02"))
	}
	// Output: MEDIUM COMMUNITY_REPORT family STABLECOIN_FREEZES Frozen by Tether 2020-09-13
}

func ExampleNewOracle() {
	src := stablecoin.NewOracle("https://node.corp.example", &stablecoin.Options{StateFile: "oracle.state"})
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: SANCTIONS_ORACLE Community
}

func ExampleNewTron() {
	src := stablecoin.NewTron("", nil)
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: STABLECOIN_FREEZES_TRON Community
}

// The id names the token, and the name the chains whose freezes are in the list.
func ExampleFrozen() {
	src := stablecoin.Frozen("USDT", map[address.Chain]string{
		"ethereum": "https://node.corp.example",
		"tron":     "https://api.trongrid.io",
	}, nil)
	fmt.Println(src.Info().ID, "-", src.Info().Name)
	// Output: USDT_FROZEN - Accounts frozen by Tether on ethereum, tron
}
