module github.com/walletscreen/walletscreen/internal/bench

go 1.26.0

replace github.com/walletscreen/walletscreen => ../..

require github.com/walletscreen/walletscreen v0.0.0

require (
	github.com/decred/dcrd/crypto/blake256 v1.1.0 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)
