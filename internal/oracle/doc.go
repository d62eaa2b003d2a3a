// Package oracle compares package address with other libraries. It is a
// separate module that contains only tests, so that users of the library do not
// depend on the others; one of them is LGPL.
//
// Each test documents the known faults of the other library: where the two may
// differ, and why ours is right.
package oracle
