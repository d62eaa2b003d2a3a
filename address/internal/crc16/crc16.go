// Package crc16 computes the CRC-16 of XMODEM: polynomial 0x1021, initial value
// zero, most significant bit first, not inverted. The addresses of Stellar and
// TON end with it. [XModem] is the only function.
//
// It is written by hand because the standard library has no CRC-16, and it takes only a few lines.
package crc16

var table = func() (t [256]uint16) {
	for i := range t {
		crc := uint16(i) << 8
		for range 8 {
			top := crc >> 15
			crc = crc<<1 ^ top*0x1021
		}
		t[i] = crc
	}
	return t
}()

// XModem returns the checksum of b. It does not allocate.
func XModem(b []byte) uint16 {
	var crc uint16
	for _, c := range b {
		crc = crc<<8 ^ table[byte(crc>>8)^c]
	}
	return crc
}
