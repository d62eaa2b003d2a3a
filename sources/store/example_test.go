package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/sources/store"
)

// exampleDir returns a directory for an example, and a function that removes it.
func exampleDir() (string, func()) {
	dir, err := os.MkdirTemp("", "lists")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func ExampleOpen() {
	name, remove := exampleDir()
	defer remove()
	dir, err := store.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	names, err := dir.Names(context.Background())
	fmt.Println(len(names), err)
	// Output: 0 <nil>
}

// A Store keeps the lists that were in use within the last five years.
func ExampleRetain() {
	name, remove := exampleDir()
	defer remove()
	dir, err := store.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	var st store.Store = store.Retain(dir, 5*365*24*time.Hour)
	names, err := st.Names(context.Background())
	fmt.Println(len(names), err)
	// Output: 0 <nil>
}

// A program that only reads a Store keeps what it accepts to itself.
func ExampleReadOnly() {
	name, remove := exampleDir()
	defer remove()
	dir, err := store.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	var st store.Store = store.ReadOnly(dir)
	names, err := st.Names(context.Background())
	fmt.Println(len(names), err)
	// Output: 0 <nil>
}
