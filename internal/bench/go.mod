module github.com/walletscreen/walletscreen/internal/bench

go 1.25.0

replace github.com/walletscreen/walletscreen => ../..

require github.com/walletscreen/walletscreen v0.0.0

require (
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)
