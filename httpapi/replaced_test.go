package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A restless is a list that is another one at each Load.
type restless struct{ loads *atomic.Int64 }

func (r restless) Info() sources.Info {
	return sources.Info{ID: "RESTLESS", Name: "a list", Jurisdiction: sources.US}
}

func (r restless) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	all := []sources.Entry{
		{Address: address.MustParse("bitcoin", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"), Kind: score.Sanctioned, Ref: "1"},
		{Address: address.MustParse("bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"), Kind: score.Sanctioned, Ref: "2"},
	}
	return sources.Static(r.Info(), all[:1+r.loads.Add(1)%2]...).Load(ctx, prev, add)
}

// TestRestlessLists checks that a batch ends, with one snapshot or a problem, while its lists are replaced all the time.
func TestRestlessLists(t *testing.T) {
	s, err := screening.New([]sources.Source{restless{new(atomic.Int64)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			s.Refresh(ctx)
		}
	}()
	server := httptest.NewUnstartedServer(httpapi.NewHandler(s, testKeys(t), nil))
	server.Config.WriteTimeout = time.Second
	server.Start()
	defer server.Close()
	defer func() { stop(); <-done }()
	long := `{"address":"` + strings.Repeat("no address ", 40) + `12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"}`
	body := `{"items":[` + strings.Repeat(long+",", 90) + long + `]}`
	r, _ := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/api/v1/screen/batch", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 && resp.StatusCode != 503 {
		t.Errorf("status %d", resp.StatusCode)
	}
}
