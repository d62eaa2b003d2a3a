module github.com/walletscreen/walletscreen

go 1.25.0

require (
	filippo.io/edwards25519 v1.2.0
	github.com/google/go-cmp v0.7.0
	github.com/mr-tron/base58 v1.3.0
	golang.org/x/crypto v0.55.0
)

require (
	github.com/btcsuite/btcd v0.24.2 // indirect
	github.com/btcsuite/btcd/btcec/v2 v2.3.5 // indirect
	github.com/btcsuite/btcd/btcutil v1.2.0 // indirect
	github.com/btcsuite/btcd/chaincfg/chainhash v1.1.0 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.0.1 // indirect
	github.com/kcalvinalvin/anet v0.0.0-20251112173137-d8ddc1f6dbee // indirect
	golang.org/x/sys v0.47.0 // indirect
)
