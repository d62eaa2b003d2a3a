package opensanctions_test

import (
	"fmt"
	"log"
	"os"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
)

// The caller decides how a dataset counts: by default it is a community list,
// and none of its entries is SANCTIONED.
func ExampleNew() {
	for _, opts := range []opensanctions.Options{
		{Dataset: "us_ofac_sdn"},
		{Dataset: "us_ofac_sdn", Jurisdiction: sources.US},
	} {
		info := opensanctions.New(&opts).Info()
		fmt.Println(info.ID, info.Jurisdiction)
	}
	// Output:
	// OPENSANCTIONS_US_OFAC_SDN Community
	// OPENSANCTIONS_US_OFAC_SDN US
}

func ExampleParse() {
	f, err := os.Open("testdata/targets.simple.csv")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	rev, err := opensanctions.Parse(f, func(e sources.Entry) error { return nil })
	fmt.Println(rev.Records, "records,", err)
	// Output: 5 records, <nil>
}
