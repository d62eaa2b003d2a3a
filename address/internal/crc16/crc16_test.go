package crc16

import "testing"

// The check value of XMODEM in catalogs of CRCs.
func TestXModem(t *testing.T) {
	for text, want := range map[string]uint16{"": 0, "123456789": 0x31c3} {
		if got := XModem([]byte(text)); got != want {
			t.Errorf("XModem(%q) = %#04x, want %#04x", text, got, want)
		}
	}
}
