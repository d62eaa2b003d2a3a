package httpapi_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// An answerer has a result, of the lists of a time if that is not zero.
type answerer struct {
	screening.Result
	chain, text string
	asOf        time.Time
}

// answerers returns results of lists in several states, now and in the past: clean, doubtful, with
// labels, exceptions, and listings that have ended.
func answerers(t *testing.T) (all [][]answerer) {
	const (
		clean, doubtful = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "0x04f1a5b9bd82a5020c49975ceadc160e98d8b77aab47a5c5bd0ad2a2fb9ed4a"
		listed, dropped = "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "0x6813eb9362372eef6200f3b1dbc3f819671cba69"
		own             = "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf"
	)
	entry := func(text string, kind score.Kind) sources.Entry {
		return sources.Entry{Address: address.MustParse("ethereum", text), Kind: kind, Ref: "REF of " + text, Name: "NAME of " + text}
	}
	ours := sources.Static(sources.Info{ID: "OURS", Name: "Ours", Jurisdiction: sources.Operator}, entry(own, score.Blocked), entry(dropped, score.Blocked))
	for i := range 4 {
		st, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		info := sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}
		list := &aged{sources.Static(info, entry(listed, score.Sanctioned), entry(dropped, score.Sanctioned)), time.Now()}
		mine := &swapped{ours}
		srcs, optional := []sources.Source{list, mine}, []string(nil)
		if i%2 == 1 { // with a caveat
			srcs, optional = append(srcs, broken{eu}), []string{eu.Info().ID}
		}
		s, err := screening.New(srcs, &screening.Options{Store: st, Optional: optional,
			Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(lists interface {
			ScreenText(address.Chain, string) (screening.Result, error)
		}, asOf time.Time) {
			var of []answerer
			for _, q := range []answerer{{chain: "ethereum", text: clean}, {chain: "bsc", text: clean}, {chain: "starknet", text: doubtful},
				{chain: "ethereum", text: listed}, {chain: "ethereum", text: own}, {chain: "ethereum", text: dropped}} {
				if q.Result, err = lists.ScreenText(address.Chain(q.chain), q.text); err != nil {
					t.Fatal(err)
				}
				q.asOf = asOf
				of = append(of, q)
			}
			all = append(all, of)
		}
		s.Refresh(t.Context())
		ask(s, time.Time{})
		time.Sleep(time.Duration(600+100*i) * time.Millisecond)
		at := time.Now().UTC()
		time.Sleep(time.Second)
		list.Source = sources.Static(info, entry(listed, score.Sanctioned))
		list.checked = time.Now().Add(3*time.Second - 48*time.Hour) // stale soon
		mine.Source = sources.Static(ours.Info(), entry(own, score.Blocked))
		s.Refresh(t.Context())
		ask(s, time.Time{})
		if i > 1 {
			x := screening.Exception{Address: address.MustParse("ethereum", listed), Source: "LIST", Reason: "REASON", Author: "AUTHOR", Created: time.Now()}
			if err := s.SetExceptions(t.Context(), []screening.Exception{x}); err != nil {
				t.Fatal(err)
			}
			ask(s, time.Time{})
		}
		past, err := screening.OpenAt(t.Context(), st, at, srcs, &screening.Options{Optional: optional})
		if err != nil {
			t.Fatal(err)
		}
		ask(past, at)
	}
	return all
}

// TestAnswersAtOnce compares answers that many goroutines write at once with the model: to callers
// with the scope own and without it, by a clock that is turned back and forth. Most of them share a text
// with others.
func TestAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := answerers(t)
		var mu sync.Mutex
		kinds := make(map[string]int)
		count := func(kind string) {
			mu.Lock()
			kinds[kind]++
			mu.Unlock()
		}
		var group sync.WaitGroup
		for g := range uint64(8) {
			group.Go(func() {
				random := rand.New(rand.NewPCG(g, 1))
				for range 500 {
					time.Sleep(time.Duration(random.IntN(4)) * 50 * time.Millisecond)
					of := all[int(time.Now().Unix()/2)%len(all)]
					if random.IntN(8) == 0 {
						of = all[random.IntN(len(all))]
					}
					a := of[random.IntN(len(of))]
					now := time.Now().Add([]time.Duration{0, 0, 0, -700 * time.Millisecond, -time.Hour, time.Hour}[random.IntN(6)])
					scopes, shown := []string{"", "screen own", "screen"}[random.IntN(3)], a.Result
					if scopes == "screen" {
						shown = shown.WithoutOwn()
					}
					at := now
					if !a.asOf.IsZero() {
						at = a.asOf
					}
					model := modelOf(a.text, a.chain, shown, at)
					if model.ScreenedAt = timeModel(now); !a.asOf.IsZero() {
						model.AsOf = timeModel(a.asOf)
					}
					if got, want := httpapi.AnswerTo(scopes, a.text, a.chain, &a.Result, now, a.asOf), marshal(model); !bytes.Equal(got, want) {
						t.Errorf("scopes %q:\n got %s\nwant %s", scopes, got, want)
						return
					}
					count(fmt.Sprint("labels ", len(model.Labels)))
					count(fmt.Sprint("suppressed ", len(model.Suppressed)))
					count(fmt.Sprint("formerly ", len(model.Formerly)))
					count(fmt.Sprint("doubts ", len(model.Doubts)))
					count(fmt.Sprint("caveats ", len(model.Caveats)))
					count(fmt.Sprint("stale ", slices.ContainsFunc(model.Caveats, func(c caveat) bool { return c.Caveat == "stale" })))
				}
			})
		}
		group.Wait()
		for _, kind := range []string{"labels 0", "labels 1", "labels 2", "suppressed 1", "formerly 2", "doubts 1", "caveats 0", "caveats 1", "stale true", "stale false"} {
			if kinds[kind] < 5 {
				t.Errorf("%d answers have %s: %v", kinds[kind], kind, kinds)
			}
		}
	})
}

// TestAnswerTurnedBack answers before and after the clock is turned back by an hour. Go measures the time
// between with another clock, which goes on.
func TestAnswerTurnedBack(t *testing.T) {
	s, q := newLoadedScreener(t), questions[0]
	r, err := s.ScreenText(q.chain, q.address)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if now == now.Round(0) {
		t.Fatal("a time has one clock only")
	}
	httpapi.Answer(q.address, string(q.chain), &r, now)
	now = now.Add(-time.Hour)
	*(*time.Duration)(reflect.ValueOf(&now).Elem().FieldByName("ext").Addr().UnsafePointer()) += time.Hour + 1
	got, want := httpapi.Answer(q.address, string(q.chain), &r, now), marshal(modelOf(q.address, string(q.chain), r, now.Round(0)))
	if !bytes.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
