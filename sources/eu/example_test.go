package eu_test

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/eu"
)

func ExampleParse() {
	f, err := os.Open("testdata/xmlFullSanctionsList_1_1_excerpt_2026-09-22.xml")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	rev, err := eu.Parse(f, func(e sources.Entry) error {
		fmt.Println(e.Ref, e.Name, e.Address)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rev.Records, "records of", rev.Published.Format(time.DateOnly))
	// Output:
	// EU.12747.39 Garantex ethereum:0x002471b8a185f9980708d0eaec5b289714f56f8d
	// EU.12747.39 Garantex bitcoin:bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml
	// EU.12747.39 Garantex bitcoin:bc1qwxqxd25yk2dtw2ml04vxj9atq3huv4rdytf6vt
	// EU.12747.39 Garantex bitcoin:3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t
	// EU.12747.39 Garantex bsc:0x3051ca7cb7f6c599fa2f27385ad75010cf0f2bbf
	// EU.12747.39 Garantex tron:TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d
	// 2 records of 2026-09-22
}

func ExampleNew() {
	src := eu.New(nil)
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: EU_CONSOLIDATED EU
}
