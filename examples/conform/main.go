// Conform has cases for systems that screen crypto addresses: questions whose answers are
// known, each with the document that decides. It writes them from the bundled lists and the
// vectors of standards.
//
//	go generate ./examples/conform
package main

import (
	"flag"
	"fmt"
	"os"
)

//go:generate go run . -generate .

func main() {
	dir := flag.String("generate", "", "write the cases again into the folder of this example, and end")
	flag.Parse()
	if *dir == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := generateInto(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "conform:", err)
		os.Exit(2)
	}
}
