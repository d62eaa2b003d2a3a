// Package api lists the exported names of the module's packages, one feature a line, as the
// files in the api folder of the Go tree do. The lines of the last commit are in api.txt,
// so that review sees each change of the public API:
//
//	go generate ./internal/api
package api

//go:generate go test -count=1 -run ^TestAPI$ . -update
