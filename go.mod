module github.com/walletscreen/walletscreen

go 1.25.0

require golang.org/x/crypto v0.55.0
