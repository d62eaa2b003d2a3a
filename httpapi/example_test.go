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
	"github.com/walletscreen/walletscreen/httpapi/access"
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
	const key = "wsk_only-for-this-example"
	keys, err := access.Fixed(map[string]string{"payments": key})
	if err != nil {
		log.Fatal(err)
	}

	// The API is mounted next to other routes of the application, under a
	// prefix.
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

// sessions is an Authorizer for users who are signed in to the application.
type sessions map[string]string // user by session cookie

func (s sessions) Authorize(r *http.Request) (httpapi.Caller, error) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return httpapi.Caller{}, httpapi.ErrNoCredentials
	}
	user, ok := s[cookie.Value]
	if !ok {
		return httpapi.Caller{}, httpapi.ErrUnauthorized
	}
	return httpapi.Caller{ID: user}, nil
}

func ExampleAuthorizer() {
	var auth httpapi.Authorizer = sessions{"4f1c": "user@corp.example"}
	for _, session := range []string{"4f1c", "another"} {
		r := httptest.NewRequest("GET", "/api/v1/sources", nil)
		r.AddCookie(&http.Cookie{Name: "session", Value: session})
		caller, err := auth.Authorize(r)
		fmt.Printf("%q %v\n", caller.ID, err)
	}
	// Output:
	// "user@corp.example" <nil>
	// "" unauthorized
}

// Observe writes an access log and updates counters, without the screened
// addresses.
func ExampleOptions_observe() {
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "EMPTY", Name: "None yet", Jurisdiction: sources.Community})}, nil)
	if err != nil {
		log.Fatal(err)
	}
	levels := make(map[score.Level]int)
	h := httpapi.NewHandler(s, nil, &httpapi.Options{
		Observe: func(ctx context.Context, o httpapi.Observation) {
			fmt.Printf("route=%s method=%s status=%d code=%s caller=%q\n", o.Route, o.Method, o.Status, o.Code, o.CallerID)
			for _, s := range o.Screenings {
				levels[s.Result.Level]++ // under a lock, in a server
			}
		},
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/risk/api/v1/sources", nil))
	fmt.Println(levels)
	// Output:
	// route=/api/v1/sources method=GET status=401 code=missing_credentials caller=""
	// map[]
}

// Admit protects a handler of the application with the same keys.
func ExampleAdmit() {
	keys, err := access.Fixed(map[string]string{"payments": "wsk_only-for-this-example"})
	if err != nil {
		log.Fatal(err)
	}
	h := httpapi.Admit(keys, "reports", nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, _ := httpapi.CallerOf(r.Context())
		fmt.Fprintln(w, "report for", caller.ID)
	}))
	for _, key := range []string{"wsk_only-for-this-example", "another"} {
		r := httptest.NewRequest("GET", "/reports/7", nil)
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("Content-Type"))
	}
	// Output:
	// 200 text/plain; charset=utf-8
	// 401 application/problem+json
}

func ExampleNewEndpoints() {
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "EMPTY", Name: "None yet", Jurisdiction: sources.Community})}, nil)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	for path, endpoint := range httpapi.NewEndpoints(s, nil, nil) {
		mux.Handle("/risk"+path, endpoint)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/risk/openapi.yaml", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// 200 application/yaml
}

// answered counts the screenings of each caller. It refuses nobody.
type answered map[string]int64 // by ID; under a lock, in a server

func (a answered) Charge(_ *http.Request, c httpapi.Caller, n int, _ []byte) (granted int, refund func(int), err error) {
	a[c.ID] += int64(n)
	return n, func(n int) { a[c.ID] -= int64(n) }, nil
}

func (a answered) Used(_ context.Context, c httpapi.Caller, _ bool) (used int64, from, until time.Time, err error) {
	now := time.Now().UTC()
	from = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	return a[c.ID], from, from.AddDate(0, 1, 0), nil
}

func ExampleMeter() {
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "EMPTY", Name: "None yet", Jurisdiction: sources.Operator})}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	meter := answered{}
	h := httpapi.NewHandler(s, sessions{"4f1c": "user@corp.example"}, &httpapi.Options{Meter: meter})
	for _, address := range []string{"0x098b716b8aaf21512996dc57eb0615e2383e2f96", "mistyped"} {
		r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(`{"address": "`+address+`", "chain": "ethereum"}`))
		r.Header.Set("Content-Type", "application/json")
		r.AddCookie(&http.Cookie{Name: "session", Value: "4f1c"})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(w.Code, meter)
	}
	// Output:
	// 200 map[user@corp.example:1]
	// 400 map[user@corp.example:1]
}
