package address_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/walletscreen/walletscreen/address"
)

func ExampleParse() {
	a, err := address.Parse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Chain(), a.Normalized())
	fmt.Println(a)

	_, err = address.Parse("bitcoin", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d")
	fmt.Println(err)
	// Output:
	// ethereum 0x098b716b8aaf21512996dc57eb0615e2383e2f96
	// ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96
	// not an address of bitcoin but of tron
}

func ExampleInterpret() {
	// The capitals do not match EIP-55: a digit may be wrong.
	r := address.Interpret("ethereum", " 0x098b716B8Aaf21512996dC57EB0615e2383E2f96")
	if r.Err != nil {
		fmt.Println(r.Err)
		return
	}
	fmt.Println(r.Addresses[0].Normalized())
	for _, d := range r.Doubts {
		fmt.Println(d)
	}
	// Output:
	// 0x098b716b8aaf21512996dc57eb0615e2383e2f96
	// capitals
}

func ExampleNormalize() {
	for _, s := range []string{
		"  0x098B716B8Aaf21512996dC57EB0615e2383E2F96 ", // a capital F too many
		"ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96@1?value=1e18",
		"eip155:1:0x098b716b8aaf21512996dc57eb0615e2383e2f96",
	} {
		a, err := address.Normalize("ethereum", s)
		fmt.Println(a.Normalized(), err)
	}
	// Output:
	// 0x098b716b8aaf21512996dc57eb0615e2383e2f96 <nil>
	// 0x098b716b8aaf21512996dc57eb0615e2383e2f96 <nil>
	// 0x098b716b8aaf21512996dc57eb0615e2383e2f96 <nil>
}

func ExampleParseChain() {
	c, err := address.ParseChain("Ripple")
	fmt.Println(c, err)
	_, err = address.ParseChain("BTC")
	fmt.Println(err)
	// Output:
	// xrp <nil>
	// chain "BTC": unsupported chain; BTC is a ticker; use the slug bitcoin
}

func ExampleDetect() {
	for _, s := range []string{"terra1w508d6qejxtdg4y5r3zarvary0c5xw7kued6dc", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"} {
		for _, a := range address.Detect(s) {
			fmt.Println(a.Chain(), a.Proven())
		}
	}
	// Output:
	// terra true
	// terra-classic true
	// solana false
	// eclipse false
	// fogo false
	// arweave false
}

func ExampleFindAll() {
	text := "BTC: bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml; USDT (TRC-20): TA1hsikRfsgGi\nW9nEBpT4tEXEySTNYLr2d."
	for _, f := range address.FindAll(text) {
		fmt.Printf("%d-%d %v\n", f.Start, f.End, f.Address)
	}
	// Output:
	// 5-47 bitcoin:bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml
	// 64-99 tron:TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d
}

func ExampleAddress() {
	// An Address works as a map key. Canonical makes one key of all spellings.
	names := map[address.Address]string{
		address.MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96").Canonical(): "Ronin bridge exploiter",
	}
	a, err := address.Normalize("bsc", " 0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(names[a.Canonical()])
	// Output: Ronin bridge exploiter
}

// An Address is a JSON string of its chain and its normal form. Decoding validates
// it.
func ExampleAddress_json() {
	type payment struct {
		To address.Address `json:"to"`
	}
	p := payment{address.MustParse("tron", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d")}
	b, err := json.Marshal(p)
	fmt.Println(string(b), err)

	err = json.Unmarshal([]byte(`{"to":"bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"}`), &p)
	fmt.Println(p.To, err)

	err = json.Unmarshal([]byte(`{"to":"bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh"}`), &p)
	var pe *address.ParseError
	fmt.Println(errors.As(err, &pe), errors.Is(err, address.ErrChecksum))
	// Output:
	// {"to":"tron:TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"} <nil>
	// bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH <nil>
	// true true
}

func ExampleAddress_Canonical() {
	legacy := address.MustParse("bitcoin-cash", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH")
	cash := address.MustParse("bitcoin-cash", "bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h")
	fmt.Println(legacy == cash, legacy.Canonical() == cash.Canonical())
	fmt.Println(legacy.Canonical().Normalized())

	bsc := address.MustParse("bsc", "0x098b716b8aaf21512996dc57eb0615e2383e2f96")
	fmt.Println(bsc.Canonical())
	// Output:
	// false true
	// bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h
	// ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96
}

func ExampleAddress_Key() {
	// One key controls these two accounts.
	legacy, _ := address.MustParse("bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH").Key()
	segwit, _ := address.MustParse("bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4").Key()
	fmt.Println(legacy)
	fmt.Println(legacy == segwit)
	// Output:
	// h160:751e76e8199196d454941c45d1b3a323f1433bd6
	// true
}

func ExampleParseError() {
	_, err := address.Parse("bitcoin", "bc1qcr8te4kr609gc\u0430wutmrza0j4xv80jy8z306fyu")
	var pe *address.ParseError
	if errors.As(err, &pe) {
		fmt.Println(errors.Is(err, address.ErrCharset), pe.Offset)
		fmt.Println(pe.Hint())
	}
	// Output:
	// true 17
	// character 18 is U+0430, a Cyrillic letter
}
