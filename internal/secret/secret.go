// Package secret says which texts must not be shown.
package secret

import (
	"errors"
	"regexp"

	"github.com/walletscreen/walletscreen/address"
)

// Hides reports whether text, for which screening or validating returned err, must
// not be shown: it is a private key or a seed, or an LNURL, or has 64 hex digits in it, which
// can be a key.
func Hides(err error, text string) bool {
	return errors.Is(err, address.ErrSecret) || errors.Is(err, address.ErrPaymentRequest) || err != nil && hexKey.MatchString(text)
}

// hexKey matches text with 64 hex digits in a row, not more.
var hexKey = regexp.MustCompile("(^|0[xX]|[^0-9a-fA-F])[0-9a-fA-F]{64}([^0-9a-fA-F]|$)")
