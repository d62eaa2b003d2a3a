package address

import (
	"crypto/sha256"

	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 Bitcoin's hash160 is made of it
)

// hash160 returns ripemd160(sha256(b)).
func hash160(b []byte) []byte {
	sum := sha256.Sum256(b)
	h := ripemd160.New()
	h.Write(sum[:])
	return h.Sum(nil)
}
