// Package contract holds what httpapi answers against the description of the
// interface in httpapi/openapi.yaml. It is a module of its own, and has nothing
// but tests, and the program that makes the page at /docs of the description, so
// that nobody else needs what they stand on.
package contract
