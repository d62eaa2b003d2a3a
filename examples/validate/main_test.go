package main

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

func TestValidate(t *testing.T) {
	const in = `bitcoin bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu
0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf
ripple rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMH
bitcoin TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
bitcoin 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM1
ethereum 0x7e5f4552091a69125d5dfcb7b8c2659029395bdg
5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss
?
ethereum 0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf
0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf
`
	const want = `{"line":1,"chain":"bitcoin","address":"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"}
{"line":2,"chain":"ethereum","address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","also":["zilliqa","hedera"]}
{"line":3,"chain":"xrp","address":"rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMH"}
{"line":4,"chain":"bitcoin","error":"not an address of this chain but of another","other":"tron"}
{"line":5,"chain":"bitcoin","error":"checksum mismatch: probably a typing error"}
{"line":6,"chain":"ethereum","error":"not an address of this chain: unexpected character","offset":41,"hint":"character 42 is \"g\""}
{"line":7,"error":"not an address of this chain but a private key or seed","hint":"delete it here, and move the funds if others have seen it"}
{"line":8,"error":"not an address of this chain: unexpected character","offset":0,"hint":"character 1 is \"?\""}
{"line":9,"chain":"ethereum","address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","doubt":"capitals"}
{"line":10,"chain":"ethereum","address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","also":["zilliqa","hedera"],"doubt":"capitals"}
`
	var out strings.Builder
	ok, err := validate(strings.NewReader(in), &out)
	if err != nil || ok {
		t.Errorf("validate = %v, %v; want false: some lines are not addresses", ok, err)
	}
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if ok, err := validate(strings.NewReader("tron TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC\n"), &out); err != nil || !ok {
		t.Errorf("validate = %v, %v; want true", ok, err)
	}
}

func TestField(t *testing.T) {
	for _, tt := range []struct{ chain, typed, normal, note string }{
		{"tron", " TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC ", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", ""},
		{"ethereum", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", "", "This is an address of tron."},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM1", "", "There is a typing error in this address."},
		{"bitcoin", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "", "This is an address of a test network."},
		{"bitcoin", "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss", "", "This may be a private key or a seed phrase. Never give it to anybody."},
		{"bitcoin", "1BgGZ9", "", "This is not an address."},
		{"ethereum", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", "", "Look again: the capitals do not match the checksum of the address: compare it with the original."},
	} {
		normal, note := field(address.Chain(tt.chain), tt.typed)
		if normal != tt.normal || note != tt.note {
			t.Errorf("field(%s, %q) = %q, %q; want %q, %q", tt.chain, tt.typed, normal, note, tt.normal, tt.note)
		}
	}
}
