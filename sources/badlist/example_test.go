package badlist_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
)

func ExampleOptions_Parse() {
	list := badlist.Options{Kind: score.Scam}
	const text = `{"rows": [
		{"network": "Tron", "address": "TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY"},
		{"network": "BTC", "address": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa (see 17)"}
	]}`
	rev, err := list.Parse(strings.NewReader(text), func(e sources.Entry) error {
		fmt.Println(e.Kind, e.Address)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rev.Records, "records")
	// Output:
	// SCAM tron:TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY
	// SCAM bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa
	// 2 records
}

func ExampleRansomwhere() {
	src := badlist.New(badlist.Ransomwhere())
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: RANSOMWHERE Community
}

func ExampleScamSniffer() {
	src := badlist.New(badlist.ScamSniffer())
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: SCAMSNIFFER Community
}

func ExampleNew() {
	src := badlist.New(&badlist.Options{
		URL:  "https://example.org/reported.csv",
		Info: sources.Info{ID: "REPORTED", Name: "Addresses that our users report", Jurisdiction: sources.Community},
	})
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: REPORTED Community
}

func ExampleParse() {
	list := strings.NewReader(`[{"address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "comment": "phishing"}]`)
	_, err := badlist.Parse(list, func(e sources.Entry) error {
		fmt.Println(e.Kind, e.Address)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: PHISHING ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96
}
