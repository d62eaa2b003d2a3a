package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// loaded returns a Screener with a list of one address.
func loaded(t *testing.T) *screening.Screener {
	t.Helper()
	list := sources.Static(sources.Info{ID: "LIST", Name: "A list", Jurisdiction: sources.Community}, sources.Entry{
		Address: address.MustParse("bitcoin", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"), Kind: score.Scam,
	})
	screener, err := screening.New([]sources.Source{list}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return screener
}

// TestRareAnswers checks responses that no exchange has against the document: the
// responses of a server in trouble.
func TestRareAnswers(t *testing.T) {
	doc := load(t)
	screener := loaded(t)
	const key = "wsk_only-for-this-test"
	keys, err := access.Fixed(map[string]string{"a": key})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(h http.Handler, path string, body io.Reader) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("POST", path, body), httptest.NewRecorder()
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, r)
		return w
	}
	const path = "/api/v1/screen"
	good := func() io.Reader {
		return strings.NewReader(`{"address":"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h","chain":"bitcoin"}`)
	}

	// One more request arrives while as many as are processed at once are being recorded.
	asked, answer := make(chan bool), make(chan bool)
	busy := httpapi.NewHandler(screener, keys, &httpapi.Options{Audit: func(context.Context, ...httpapi.Screening) error {
		asked <- true
		<-answer
		return nil
	}})
	var recorded sync.WaitGroup
	for range 1024 {
		recorded.Go(func() { ask(busy, path, good()) })
		<-asked
	}
	overloaded := ask(busy, path, good())
	close(answer)
	recorded.Wait()

	broken := authorizer(func() (httpapi.Caller, error) { return httpapi.Caller{}, errors.New("broken") })
	refusing := &httpapi.Options{Audit: func(context.Context, ...httpapi.Screening) error { return errors.New("disk full") }}
	for code, w := range map[string]*httptest.ResponseRecorder{
		"":                  ask(httpapi.NewHandler(screener, keys, nil), path, good()),
		"overloaded":        overloaded,
		"internal":          ask(httpapi.NewHandler(screener, broken, nil), path, good()),
		"audit_unavailable": ask(httpapi.NewHandler(screener, keys, refusing), path, good()),
		"request_timeout":   ask(httpapi.NewHandler(screener, keys, nil), path, late{}),
	} {
		if code != "" && !strings.Contains(w.Body.String(), `"code":"`+code+`"`) {
			t.Errorf("%s: status %d: %s", code, w.Code, w.Body)
		}
		w.Header().Del("Connection") // it is the server's, and not known to HTTP/2
		r := httptest.NewRequest("POST", path, nil)
		if err := checkAnswer(t.Context(), route(doc, r), r, w.Code, w.Header(), w.Body.Bytes()); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// TestRareMembers checks answers that no exchange has against the document, which must have all of their members:
// about a list that is final and issued elsewhere, and of a batch without a result at an earlier time.
func TestRareMembers(t *testing.T) {
	doc := load(t)
	list := sources.Static(sources.Info{ID: "LIST", Name: "A list", Jurisdiction: "UN", Final: true}, sources.Entry{
		Address: address.MustParse("bitcoin", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"), Kind: score.Sanctioned,
	})
	screener, err := screening.New([]sources.Source{list}, nil)
	if err == nil {
		_, err = screener.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(screener, authorizer(func() (httpapi.Caller, error) { return httpapi.Caller{ID: "a"}, nil }), &httpapi.Options{Past: func(ctx context.Context, at time.Time) (*screening.Past, error) {
		return screening.Reconstruct(ctx, at, []sources.Source{list}, nil)
	}})
	for path, body := range map[string]string{
		"/api/v1/sources": "", "/api/v1/screen": `{"address":"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h","chain":"bitcoin"}`,
		"/api/v1/screen/batch": `{"items":[{"address":"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9","chain":"bitcoin"}],"at":"2026-01-01"}`,
	} {
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		r, w := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, r)
		var answer any
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %v", path, w.Code, err)
		}
		if err := checkAnswer(t.Context(), route(doc, r), r, w.Code, w.Header(), w.Body.Bytes()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		schema := route(doc, r).Operation.Responses.Status(http.StatusOK).Value.Content["application/json"].Schema.Value
		if more := undocumented(schema, answer); len(more) > 0 {
			t.Errorf("%s: the answer has members that are not in the document: %q", path, more)
		}
	}
}

// An authorizer is an httpapi.Authorizer that calls a function.
type authorizer func() (httpapi.Caller, error)

func (f authorizer) Authorize(*http.Request) (httpapi.Caller, error) { return f() }

// A body that does not arrive in time.
type late struct{}

func (late) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// TestNoDefaults checks that no member of a schema has a default: generators of TypeScript
// clients demand members that have one, also in requests.
func TestNoDefaults(t *testing.T) {
	for name, schema := range load(t).Components.Schemas {
		for member, property := range schema.Value.Properties {
			if property.Value.Default != nil {
				t.Errorf("%s: the member %s has a default", name, member)
			}
		}
	}
}
