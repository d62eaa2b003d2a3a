package ofac_test

import (
	"fmt"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// A local file needs no network.
func ExampleParse() {
	file := strings.NewReader(`<?xml version="1.0" standalone="yes"?>
<sdnList>
  <publshInformation><Publish_Date>09/23/2026</Publish_Date><Record_Count>1</Record_Count></publshInformation>
  <sdnEntry>
    <uid>27307</uid><lastName>LAZARUS GROUP</lastName>
    <idList><id>
      <idType>Digital Currency Address - ETH</idType>
      <idNumber>0x098B716B8Aaf21512996dC57EB0615e2383E2f96</idNumber>
    </id></idList>
  </sdnEntry>
</sdnList>`)
	revision, err := ofac.Parse(file, func(e sources.Entry) error {
		fmt.Println(e.Ref, e.Name, e.Address)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(revision.Records, "record of", revision.Published.Format("2 January 2006"))
	// Output:
	// 27307 LAZARUS GROUP ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96
	// 1 record of 23 September 2026
}

func ExampleParseCSV() {
	const row = `27307,"LAZARUS GROUP","-0-","DPRK3","-0-","-0-","-0-","-0-","-0-","-0-","-0-",` +
		`"Digital Currency Address - ETH 0x098B716B8Aaf21512996dC57EB0615e2383E2f96."` + "\r\n"
	const end = "\x1a" // with which OFAC ends a file
	_, err := ofac.ParseCSV(strings.NewReader(row+end), nil, func(e sources.Entry) error {
		fmt.Println(e.Ref, e.Name, e.Address)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 27307 LAZARUS GROUP ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96
	// <nil>
}

func ExampleNew() {
	// A mirror inside a company's network.
	src := ofac.New(&ofac.Options{URL: "https://mirror.corp.example/SDN_ADVANCED.ZIP"})
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: OFAC_SDN US
}

// With the bundled copy as its seed, the list has a past.
func ExampleNew_history() {
	_, err := sources.History(ofac.New(nil))
	past, seededErr := sources.History(sources.Seeded(ofac.New(nil), bundle.OFAC()))
	fmt.Println(len(past) > 1000, err, seededErr)
	// Output: true <nil> <nil>
}

func ExampleNewConsolidated() {
	src := ofac.NewConsolidated(nil)
	fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	// Output: OFAC_CONSOLIDATED US
}
