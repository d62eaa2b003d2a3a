package ofac_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// day returns the two files of a list of two wallets whose remarks continue in
// the comments.
func day(wallet string) (main, comments string) {
	remarks := fill(1000, "; Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h; alt. Digital Currency Address - ETH "+wallet[:20])
	return `2,"B",-0- ,"P",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"` + remarks + "\"\r\n\x1a", `2,"` + wallet[20:] + ".\"\r\n"
}

// treasury serves the two files and records the requests.
type treasury struct {
	mu     sync.Mutex
	files  map[string]string // by path
	etags  map[string]string
	asked  []string
	before func(path string, n int) // called before the n-th question, from 1
}

const (
	mainPath     = "/SDN.CSV"
	commentsPath = "/SDN_COMMENTS.CSV"
)

func (s *treasury) publish(wallet string) {
	main, comments := day(wallet)
	s.files = map[string]string{mainPath: main, commentsPath: comments}
	s.etags = map[string]string{mainPath: fmt.Sprintf("%q", "m"+wallet), commentsPath: fmt.Sprintf("%q", "c"+wallet)}
}

func (s *treasury) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before != nil {
		s.before(r.URL.Path, len(s.asked)+1)
	}
	file, ok := s.files[r.URL.Path]
	if !ok {
		s.asked = append(s.asked, r.URL.Path+" 404")
		http.NotFound(w, r)
		return
	}
	if tag := s.etags[r.URL.Path]; tag != "" {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			s.asked = append(s.asked, r.URL.Path+" 304")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	s.asked = append(s.asked, r.URL.Path)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(file))
}

const (
	first  = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	second = "0xa0e1c89ef1a489c9c7de96311ed5ce5d32c20e4b"
)

func newTreasury(t *testing.T) (*treasury, sources.Source) {
	t.Helper()
	s := &treasury{}
	s.publish(first)
	server := httptest.NewTLSServer(s)
	t.Cleanup(server.Close)
	return s, ofac.New(&ofac.Options{URL: server.URL + mainPath, CommentsURL: server.URL + commentsPath, Client: server.Client()})
}

func TestCSVSource(t *testing.T) {
	for name, validators := range map[string]bool{"with validators": true, "without validators": false} {
		t.Run(name, func(t *testing.T) {
			s, src := newTreasury(t)
			if !validators {
				s.etags = nil
			}
			sourcetest.Run(t, func(*testing.T) sources.Source { return src })
		})
	}
}

func TestCSVUnchanged(t *testing.T) {
	s, src := newTreasury(t)
	entries, rev, err := listtest.Load(t.Context(), src, sources.Revision{})
	if err != nil || len(entries) != 2 || entries[1].Listed != first {
		t.Fatalf("Load gave %+v, %v, want two wallets, the last %s", entries, err, first)
	}
	expect := func(when string, prev sources.Revision, wallet string, asked ...string) sources.Revision {
		t.Helper()
		s.asked = nil
		entries, next, err := listtest.Load(t.Context(), src, prev)
		switch {
		case wallet == "" && (!errors.Is(err, sources.ErrUnchanged) || entries != nil || next.Digest != prev.Digest || !next.Checked.IsZero()):
			t.Errorf("%s: %d entries, %+v, %v, want ErrUnchanged", when, len(entries), next, err)
		case wallet != "" && (err != nil || len(entries) != 2 || entries[1].Listed != wallet || next.Digest == prev.Digest):
			t.Errorf("%s: %+v, %v, want two wallets, the last %s", when, entries, err, wallet)
		}
		if !slices.Equal(s.asked, asked) {
			t.Errorf("%s: asked for %q, want %q", when, s.asked, asked)
		}
		return next
	}
	expect("not modified", rev, "", commentsPath+" 304", mainPath+" 304")

	// One of them is modified, so both are fetched; the list is the same.
	for _, path := range []string{mainPath, commentsPath} {
		s.etags[path] = fmt.Sprintf("%q", path)
		held := rev
		s.asked = nil
		entries, next, err := listtest.Load(t.Context(), src, held)
		if !errors.Is(err, sources.ErrUnchanged) || entries != nil || next.ETag == held.ETag {
			t.Errorf("%s sent again: %d entries, %+v, %v, want ErrUnchanged with new validators", path, len(entries), next, err)
		}
		rev = next
		expect("not modified since", rev, "", commentsPath+" 304", mainPath+" 304")
	}
	s.publish(second)
	rev = expect("another day", rev, second, commentsPath, mainPath, commentsPath+" 304")

	// Validators of a list in one file are ignored.
	s.publish(first)
	expect("from XML", sources.Revision{Digest: rev.Digest, ETag: s.etags[mainPath]}, first, commentsPath, mainPath, commentsPath+" 304")
}

// TestCSVApart publishes a new list at every moment of a Load and checks that
// both files are always of one day.
func TestCSVApart(t *testing.T) {
	for at := 1; at <= 6; at++ {
		for name, validators := range map[string]bool{"with validators": true, "without validators": false} {
			s, src := newTreasury(t)
			s.before = func(_ string, n int) {
				if n == at {
					s.publish(second)
				}
				if !validators {
					s.etags = nil
				}
			}
			entries, _, err := listtest.Load(t.Context(), src, sources.Revision{})
			want := first
			if at <= 3 {
				want = second
			}
			if err != nil || len(entries) != 2 || entries[1].Listed != want {
				t.Errorf("published before question %d, %s: %+v, %v, want two wallets, the last %s; asked %q", at, name, entries, err, want, s.asked)
			}
		}
	}
}

// TestCSVNeverHalf serves only one of the files, or files of different days,
// for the whole test.
func TestCSVNeverHalf(t *testing.T) {
	_, otherComments := day(second)
	for name, spoil := range map[string]func(s *treasury){
		"no sdn.csv":            func(s *treasury) { delete(s.files, mainPath) },
		"no comments":           func(s *treasury) { delete(s.files, commentsPath) },
		"empty sdn.csv":         func(s *treasury) { s.files[mainPath] = "" },
		"empty comments":        func(s *treasury) { s.files[commentsPath] = "" },
		"comments of no entity": func(s *treasury) { s.files[commentsPath] += "3,\"more.\"\r\n" },
		"nothing goes on":       func(s *treasury) { s.files[mainPath] = strings.Replace(s.files[mainPath], "Digital", "D", 1) },
		"other comments at each question": func(s *treasury) {
			s.before = func(path string, n int) {
				s.files[commentsPath] = fmt.Sprintf("2,\"%020d.\"\r\n", n)
				s.etags[commentsPath] = fmt.Sprintf("\"%d\"", n)
			}
		},
		"comments in HTML": func(s *treasury) { s.files[commentsPath] = "<!DOCTYPE html>\n<html>\n" },
		"comments cut":     func(s *treasury) { s.files[commentsPath] = otherComments[:len(otherComments)-4] },
	} {
		s, src := newTreasury(t)
		spoil(s)
		if entries, rev, err := listtest.Load(t.Context(), src, sources.Revision{}); err == nil || entries != nil || !rev.IsZero() {
			t.Errorf("%s: %d entries, %+v, %v, want an error", name, len(entries), rev, err)
		}
		if len(s.asked) > 6 {
			t.Errorf("%s: asked %d times, want each pair twice at most", name, len(s.asked))
		}
	}
}
