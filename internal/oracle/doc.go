// Package oracle holds package address against the libraries of others. It is a
// module of its own, and has nothing but tests, so that nobody else needs what
// they stand on; one of them is LGPL.
//
// Each test names the known faults of its referee: where the two may differ, and
// why ours is right.
package oracle
