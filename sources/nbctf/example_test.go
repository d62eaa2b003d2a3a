package nbctf_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/nbctf"
)

func ExampleParse() {
	f, err := os.Open("testdata/orders_2026-10.csv")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	_, err = nbctf.Parse(f, func(e sources.Entry) error {
		if e.Ref == "50/25" {
			fmt.Println(e.Address, e.Name)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// tron:TSoQQCZ3DrZ1us6RcHGHd9UXp6bM6PukNQ Israel, forfeiture order 50/25
	// <nil>
}

// The publisher's page answers browsers only, so New needs the URL of a mirror.
func ExampleNew() {
	src := nbctf.New(nil)
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	_, err := src.Load(context.Background(), sources.Revision{}, nil)
	fmt.Println(err)
	// Output:
	// IL_NBCTF IL
	// nbctf: the publisher's page answers browsers only: save it and import the file, or set the URL of a mirror
}
