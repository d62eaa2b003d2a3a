package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/sources"
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

// A Store keeps 100 revisions of each list, and those of the last year.
func ExampleRetain() {
	name, remove := exampleDir()
	defer remove()
	dir, err := store.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	var st store.Store = store.Retain(dir, 100, 365*24*time.Hour)
	names, err := st.Names(context.Background())
	fmt.Println(len(names), err)
	// Output: 0 <nil>
}

// Any type with these seven methods is a Store, and storetest.Run tests it.
func ExampleStore() {
	var st store.Store = newMemory()
	err := st.Append(context.Background(), []byte("a line\n"))
	fmt.Println(err)
	lines, _, err := st.Read(context.Background(), 0)
	fmt.Printf("%q %v\n", lines, err)
	// Output:
	// <nil>
	// "a line\n" <nil>
}

// The journal records each change with its time.
func ExampleArchive() {
	ctx := context.Background()
	a := store.NewArchive(newMemory())
	at := time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)
	err := a.Append(ctx, store.Event{Type: store.Refused, At: at, Source: "OFAC_SDN", Reason: "it has 12 entries instead of 761"})
	if err != nil {
		log.Fatal(err)
	}
	next, err := a.Read(ctx, 0, func(e store.Event) { fmt.Println(e.At.Format(time.DateOnly), e.Source, e.Type+":", e.Reason) })
	if err != nil {
		log.Fatal(err)
	}
	_, err = a.Read(ctx, next, func(store.Event) { fmt.Println("more") })
	fmt.Println(err)
	// Output:
	// 2026-11-21 OFAC_SDN refused: it has 12 entries instead of 761
	// <nil>
}

// An Accepted event has the counts of the changes.
func ExampleEvent() {
	digest := "36c517bd264d8d97eff353eadd8d84427d5eb293505a8ce07271a5bc258c3117"
	at := time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)
	e := store.Event{
		Type: store.Accepted, At: at, Source: "OFAC_SDN", Revision: store.Name("OFAC_SDN", at, digest),
		List: sources.Revision{Digest: digest, Records: 18367}, Entries: 761, Addresses: 745, Added: 3, Removed: 1,
	}
	fmt.Printf("%s: +%d -%d of %d\n", e.Source, e.Added, e.Removed, e.Entries)
	// Output: OFAC_SDN: +3 -1 of 761
}
