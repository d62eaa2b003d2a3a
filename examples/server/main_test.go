package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestServer(t *testing.T) {
	const key = "a-key-of-the-test-that-is-long"
	s, handler, err := newHandler(key)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(key string) (int, string) {
		r := httptest.NewRequest(
			"POST",
			"/compliance/api/v1/screen",
			strings.NewReader(`{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}`),
		)
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if code, body := ask(key); code != 503 {
		t.Errorf("before the lists: %d %s", code, body)
	}
	if _, err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, body := ask(key); code != 200 || !strings.Contains(body, `"level":"CRITICAL"`) {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := ask("another-key-of-the-test-12345"); code != 401 {
		t.Errorf("another key: %d", code)
	}
	if _, _, err := newHandler(""); err == nil {
		t.Error("an empty key is accepted")
	}
}

// A request that has begun when the server is stopped is answered.
func TestDrains(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	begun, proceed, ended, answered := make(chan bool), make(chan bool), make(chan error, 1), make(chan int, 1)
	go func() {
		ended <- serve(ctx, listener, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(begun); <-proceed }))
	}()
	go func() {
		resp, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		resp.Body.Close()
		answered <- resp.StatusCode
	}()
	<-begun
	stop()
	select {
	case err := <-ended:
		t.Errorf("it ended with a request under way: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(proceed)
	if status := <-answered; status != 200 {
		t.Errorf("status %d, want 200", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
