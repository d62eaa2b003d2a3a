package address

import "filippo.io/edwards25519"

// isEdwardsPoint reports whether b is a point of the curve of ed25519 in its
// one encoding. Points of small order count; y not below 2^255-19 and x = 0
// with a sign do not.
func isEdwardsPoint(b *[32]byte) bool {
	var p edwards25519.Point
	if _, err := p.SetBytes(b[:]); err != nil {
		return false
	}
	return [32]byte(p.Bytes()) == *b
}
