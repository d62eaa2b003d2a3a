module github.com/walletscreen/walletscreen

go 1.25.0

require (
	filippo.io/edwards25519 v1.2.0
	github.com/btcsuite/btcd/btcutil v1.2.0
	github.com/google/go-cmp v0.7.0
	github.com/mr-tron/base58 v1.3.0
	golang.org/x/crypto v0.55.0
	golang.org/x/time v0.15.0
)

require golang.org/x/sys v0.47.0 // indirect
