package main

import (
	"net/http/httptest"
	"strings"
	"testing"
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
