package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

func ExampleNewHandler() {
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
	if _, err := s.Refresh(context.Background()); err != nil { // a server has "go s.Run(ctx, time.Hour)"
		log.Fatal(err)
	}
	key := httpapi.NewKey() // shown to its owner once; what is kept is its hash
	keys, err := httpapi.NewKeys(map[string]string{"payments": httpapi.HashKey(key)})
	if err != nil {
		log.Fatal(err)
	}

	// Beside the routes that the application has already, under any prefix.
	mux := http.NewServeMux()
	mux.Handle("/risk/", httpapi.NewHandler(s, keys, nil))

	r := httptest.NewRequest("POST", "/risk/api/v1/screen", strings.NewReader(
		`{"address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "chain": "polygon"}`))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)

	var answer struct {
		Address, Chain, Level string
		Score                 int
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d %+v\n", w.Code, answer)
	// Output:
	// 200 {Address:0x098b716b8aaf21512996dc57eb0615e2383e2f96 Chain:polygon Level:HIGH Score:80}
}

// tenants is an Authorizer that asks somebody else, such as a database.
type tenants struct{ byHash map[string]string }

func (t tenants) Authorize(ctx context.Context, token string) (httpapi.Grant, error) {
	id, ok := t.byHash[httpapi.HashKey(token)]
	if !ok {
		return httpapi.Grant{}, httpapi.ErrUnauthorized
	}
	return httpapi.Grant{KeyID: id}, nil
}

func ExampleAuthorizer() {
	key := httpapi.NewKey()
	var keys httpapi.Authorizer = tenants{map[string]string{httpapi.HashKey(key): "tenant-1"}}
	for _, token := range []string{key, "another"} {
		grant, err := keys.Authorize(context.Background(), token)
		fmt.Printf("%q %v\n", grant.KeyID, err)
	}
	// Output:
	// "tenant-1" <nil>
	// "" unauthorized
}

// A log of accesses, and counters, without what was screened.
func ExampleOptions_observe() {
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "EMPTY", Name: "None yet", Jurisdiction: sources.Community})}, nil)
	if err != nil {
		log.Fatal(err)
	}
	levels := make(map[score.Level]int)
	h := httpapi.NewHandler(s, nil, &httpapi.Options{
		Observe: func(ctx context.Context, o httpapi.Observation) {
			fmt.Printf("route=%s method=%s status=%d code=%s key=%q\n", o.Route, o.Method, o.Status, o.Code, o.KeyID)
			if o.Result.Level != "" { // a screening was answered
				levels[o.Result.Level]++ // under a lock, in a server
			}
		},
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/risk/api/v1/sources", nil))
	fmt.Println(levels)
	// Output:
	// route=/api/v1/sources method=GET status=401 code=missing_credentials key=""
	// map[]
}

// Keys that are issued while the server runs, each with what it is granted.
func ExampleKeyring() {
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
	var store httpapi.Store = httpapi.NewMemory() // or one that lasts, of package sqlstore
	keys := httpapi.NewKeyring(store, nil)
	defer keys.Close(ctx)
	quota := httpapi.NewQuota(store, nil) // in each replica, over the same database
	defer quota.Close(ctx)
	h := httpapi.NewHandler(s, keys, &httpapi.Options{Quota: quota})

	token, key, err := httpapi.IssueKey(httpapi.Key{ID: "customer-7", Quota: 2, Rate: 10, Burst: 20})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.PutKey(ctx, key); err != nil { // the token is shown to the customer, and kept nowhere
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

// A new secret for a key, which the old one outlasts by a week.
func ExampleKey_Rotate() {
	ctx := context.Background()
	store := httpapi.NewMemory()
	old, key, err := httpapi.IssueKey(httpapi.Key{ID: "customer-7"})
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
	if err := store.PutKey(ctx, rotated); err != nil { // ErrConflict if somebody else has changed it
		log.Fatal(err)
	}

	keys := httpapi.NewKeyring(store, nil)
	defer keys.Close(ctx)
	for _, token := range []string{old, renewed} {
		_, err := keys.Authorize(ctx, token)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// <nil>
}
