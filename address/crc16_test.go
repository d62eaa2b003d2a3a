package address_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// The check value of XMODEM in catalogs of CRCs.
func TestXModem(t *testing.T) {
	for text, want := range map[string]uint16{"": 0, "123456789": 0x31c3} {
		if got := address.CRC16([]byte(text)); got != want {
			t.Errorf("XModem(%q) = %#04x, want %#04x", text, got, want)
		}
	}
}
