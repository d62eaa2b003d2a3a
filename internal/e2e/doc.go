// Package e2e runs packages of this module against what they meet in the world,
// inside of the process: sources/stablecoin against a chain of go-ethereum's. It
// is a module of its own, and has nothing but tests, so that nobody else needs
// what they stand on.
package e2e
