package uk_test

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/uk"
)

func ExampleParse() {
	f, err := os.Open("testdata/UK-Sanctions-List_excerpt_2026-09-21.xml")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	rev, err := uk.Parse(f, func(e sources.Entry) error {
		if e.Ref == "RUS1421" {
			fmt.Println(e.Name, e.Address)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rev.Records, "records of", rev.Published.Format(time.DateOnly))
	// Output:
	// GARANTEX EUROPE OU bitcoin:3Lpoy53K625zVeE47ZasiG5jGkAxJ27kh1
	// GARANTEX EUROPE OU ethereum:0x7ff9cfad3877f21d41da833e2f775db0569ee3d9
	// GARANTEX EUROPE OU bitcoin:3E6ZCKRrsdPc35chA9Eftp1h3DLW18NFNV
	// 4 records of 2026-09-21
}

func ExampleNew() {
	src := uk.New(nil)
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: UK_CONSOLIDATED UK
}
