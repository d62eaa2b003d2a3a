package journal_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The journal records each change with its time.
func ExampleJournal() {
	ctx := context.Background()
	name, err := os.MkdirTemp("", "lists")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(name)
	dir, err := store.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	a := journal.New(dir)
	at := time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)
	err = a.Append(ctx, journal.Event{Type: journal.Refused, At: at, Source: "OFAC_SDN", Reason: "it has 12 entries instead of 761"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = a.Read(ctx, 0, func(e journal.Event) { fmt.Println(e.At.Format(time.DateOnly), e.Source, e.Type+":", e.Reason) })
	fmt.Println(err)
	// Output:
	// 2026-11-21 OFAC_SDN refused: it has 12 entries instead of 761
	// <nil>
}
