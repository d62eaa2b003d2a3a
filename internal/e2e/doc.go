// Package e2e tests packages of this module against simulations of external
// systems, within one process: sources/stablecoin against a simulated
// go-ethereum chain. It is a separate module that contains only tests, so that
// users of the library do not depend on go-ethereum.
package e2e
