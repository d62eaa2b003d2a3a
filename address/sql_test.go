package address_test

import (
	"database/sql"
	"database/sql/driver"
	stdencoding "encoding"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

var (
	_ sql.Scanner                 = (*address.Address)(nil)
	_ driver.Valuer               = address.Address{}
	_ stdencoding.TextMarshaler   = address.Key{}
	_ stdencoding.TextUnmarshaler = (*address.Key)(nil)
)

func TestSQL(t *testing.T) {
	for _, a := range append(validAddresses(t), address.Address{}) {
		v, err := a.Value()
		if err != nil || !driver.IsValue(v) {
			t.Fatalf("%v has the value %v, %v", a, v, err)
		}
		b := address.MustParse("bitcoin", testBTC)
		if err := b.Scan(v); err != nil || b != a {
			t.Errorf("Scan(%v) = %v, %v, want %v", v, b, err, a)
		}
		if s, ok := v.(string); ok {
			if err := b.Scan([]byte(s)); err != nil || b != a || s != a.String() {
				t.Errorf("Scan(%q) = %v, %v, want %v", s, b, err, a)
			}
		}
		for _, k := range append(a.AppendKeys(nil), a.Account()) {
			text, err := k.MarshalText()
			if err != nil || !k.IsZero() && string(text) != k.String() {
				t.Errorf("the text of %v is %q, %v", k, text, err)
			}
			var got address.Key
			if err := got.UnmarshalText(text); err != nil || got != k {
				t.Errorf("UnmarshalText(%q) = %v, %v, want %v", text, got, err, k)
			}
		}
	}
	a := address.MustParse("bitcoin", testBTC)
	for _, src := range []any{"", []byte{}, nil} {
		if b := a; b.Scan(src) != nil || b.IsValid() {
			t.Errorf("Scan(%#v) = %v", src, b)
		}
	}
	for _, src := range []any{1, 2.5, true, "bitcoin", "bitcoin:x", testBTC} {
		if b := a; b.Scan(src) == nil || b != a {
			t.Errorf("Scan(%#v) = %v", src, b)
		}
	}
	k, _ := a.Key()
	for _, text := range []string{"x", ":", "h160", "h160:7", "h160:zz", "h160:AB", "none:00", "account:00", "nosuchchain/0:00", "bitcoin/64:00",
		"bitcoin/01:00", "bitcoin/:00",
		"h160:" + strings.Repeat("00", 33)} {
		if got := k; got.UnmarshalText([]byte(text)) == nil || got != k {
			t.Errorf("UnmarshalText(%q) = %v", text, got)
		}
	}
}
