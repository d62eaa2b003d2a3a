package badlist_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
)

func ExampleFormat() {
	list := badlist.Format{
		Columns: badlist.Columns{Address: "wallet", Chain: "network", Ref: "case"},
		Kind:    score.Scam,
	}
	const csv = `case,network,wallet
17,Tron,TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY
18,BTC,"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa (see 17)"
`
	rev, err := list.Parse(strings.NewReader(csv), func(e sources.Entry) error {
		fmt.Println(e.Ref, e.Kind, e.Address)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rev.Records, "records")
	// Output:
	// 17 SCAM tron:TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY
	// 18 SCAM bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa
	// 2 records
}

func ExampleRansomwhere() {
	src := badlist.New(badlist.Ransomwhere())
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: RANSOMWHERE Community
}
