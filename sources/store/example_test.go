package store_test

import (
	"bytes"
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

// Besides its files, a Store has a journal of lines.
func ExampleStore() {
	name, remove := exampleDir()
	defer remove()
	var st store.Store
	st, err := store.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	err = st.Append(context.Background(), []byte("a line\n"))
	fmt.Println(err)
	lines, _, err := st.Read(context.Background(), 0)
	fmt.Printf("%s %v\n", bytes.TrimSpace(lines), err)
	// Output:
	// <nil>
	// a line <nil>
}
