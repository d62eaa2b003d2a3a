package audit_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	const key = "wsk_only-for-this-example"
	keys, err := access.Fixed(map[string]string{"payments": key})
	if err != nil {
		log.Fatal(err)
	}

	trail, err := audit.Open(dir, &audit.Options{Durable: true})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- trail.Run(ctx) }()
	h := httpapi.NewHandler(s, keys, &httpapi.Options{Audit: trail.Record})

	r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(
		`{"address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "chain": "ethereum"}`))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(httptest.NewRecorder(), r)

	stop() // after the server has
	if err := <-done; err != nil {
		log.Fatal(err)
	}
	if err := trail.Err(); err != nil { // also while the program runs
		log.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		log.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), `"key_id"`)
	line, _, _ = strings.Cut(line, `,"added_at"`)
	who, verdict, _ := strings.Cut(line, `,"score"`)
	fmt.Println(`"key_id"` + who)
	fmt.Println(`"score"` + verdict)
	// Output:
	// "key_id":"payments","chain":"ethereum","address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	// "score":100,"level":"CRITICAL","labels":[{"label":"SANCTIONED","source":"OFAC_SDN","source_ref":"27307"
}

func ExampleLog_Run() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	trail, err := audit.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}

	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- trail.Run(ctx) }()
	// Serve until the program ends. Then stop the server, and write the waiting records:
	stop()
	fmt.Println(<-done)
	// Output: <nil>
}

func ExampleLog_Err() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	trail, err := audit.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(trail.Err()) // a health check asks this now and then
	// Output: <nil>
}

// An auditor with the key finds the lines of an address.
func ExampleHash() {
	key := []byte("the key in Options.HashKey, of 32 bytes or more")
	fmt.Println(audit.Hash(key, "0x098b716b8aaf21512996dc57eb0615e2383e2f96"))
	// Output: a5a68bd0ced8e482d1be96d71a76120f5ea151d411c12bee5dfe51d84d00e945
}
