package access_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// Keys can be created while the server runs, each with its own limits.
func ExampleNew() {
	ctx := context.Background()
	list := sources.Static(
		sources.Info{ID: "OUR_LIST", Name: "Our own list", Jurisdiction: sources.Community},
		sources.Entry{
			Address: address.MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"),
			Kind:    score.StolenFunds, Ref: "case 17",
		})
	s, err := screening.New([]sources.Source{list}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	var store access.Store = access.NewMemory() // or a lasting one of package sqlstore
	keys := access.New(store, nil)              // in each replica, over the same database
	defer keys.Close(ctx)
	h := httpapi.NewHandler(s, keys, &httpapi.Options{Meter: keys})

	token, key, err := access.NewKey(access.Key{ID: "customer-7", Quota: 2, Rate: 10, Burst: 20})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.PutKey(ctx, key); err != nil { // show the token to the customer, and keep it nowhere
		log.Fatal(err)
	}
	for range 3 {
		r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(
			`{"address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "chain": "ethereum"}`))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		left, _, _ := strings.Cut(w.Header().Get("RateLimit"), ";t=")
		fmt.Println(w.Code, left)
	}
	// Output:
	// 200 "monthly";r=1
	// 200 "monthly";r=0
	// 429 "monthly";r=0
}

// Rotate a key: the old secret stays valid for a week.
func ExampleKey_Rotate() {
	ctx := context.Background()
	store := access.NewMemory()
	old, key, err := access.NewKey(access.Key{ID: "customer-7"})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.PutKey(ctx, key); err != nil {
		log.Fatal(err)
	}

	stored, err := store.Key(ctx, "customer-7")
	if err != nil {
		log.Fatal(err)
	}
	renewed, rotated := stored.Rotate(7 * 24 * time.Hour)
	if err := store.PutKey(ctx, rotated); err != nil { // ErrConflict if somebody has changed it since
		log.Fatal(err)
	}

	keys := access.New(store, nil)
	defer keys.Close(ctx)
	for _, token := range []string{old, renewed} {
		r := httptest.NewRequest("GET", "/api/v1/sources", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		_, err := keys.Authorize(r)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// <nil>
}

// Change the limits of an existing key.
func ExampleNewKey() {
	ctx := context.Background()
	store := access.NewMemory()
	token, key, err := access.NewKey(access.Key{ID: "user@corp.example", Quota: 1000})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.PutKey(ctx, key); err != nil {
		log.Fatal(err)
	}
	fmt.Println(token[:len(token)-52])

	stored, err := store.Key(ctx, "user@corp.example")
	if err != nil {
		log.Fatal(err)
	}
	stored.Quota, stored.Scopes = 5000, "screen"
	if err := store.PutKey(ctx, stored); err != nil {
		log.Fatal(err)
	}
	// Output:
	// wsk_user~40corp.example_
}

func ExampleNewMemory() {
	var store access.Store = access.NewMemory()
	_, err := store.Key(context.Background(), "nobody")
	fmt.Println(err)
	// Output:
	// access: key "nobody": no such key
}
