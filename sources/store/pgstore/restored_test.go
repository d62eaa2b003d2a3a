package pgstore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestRestored puts the database back to an earlier state under two replicas that run: they save again what
// they hold, and do not say what was answered meanwhile.
func TestRestored(t *testing.T) {
	url := postgrestest.URL(t)
	info := sources.Info{ID: "TEST", Name: "test", Jurisdiction: sources.US}
	listOf := func(n int) sources.Source {
		var all []sources.Entry
		for i := range n {
			all = append(all, sources.Entry{Asset: "ETH", Listed: fmt.Sprintf("0x%040x", i+1), Kind: score.Sanctioned, Ref: fmt.Sprint(i)})
		}
		return sources.Static(info, all...)
	}
	replica := func(n int) *screening.Screener {
		s, err := screening.New([]sources.Source{listOf(n)}, &screening.Options{Store: open(t, url)})
		if err == nil {
			_, err = s.Refresh(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	replica(10)
	before := numbersOf(t, open(t, url))
	backup := before[len(before)-1]
	execute(t, url, "create table backup as select * from walletscreen_stay")
	newer := replica(11)
	other := replica(11)
	lost := time.Now()
	execute(t, url, fmt.Sprintf("delete from walletscreen_event where number > %d; delete from walletscreen_stay; insert into walletscreen_stay select * from backup", backup))
	if _, err := newer.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	late, err := screening.New([]sources.Source{listOf(10)}, &screening.Options{Store: open(t, url)})
	if err == nil {
		_, err = late.Open(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*screening.Screener{"the first": newer, "the other": other, "a new one": late} {
		if r, err := s.ScreenText("ethereum", fmt.Sprintf("0x%040x", 11)); err != nil || len(r.Labels) != 1 || s.Digest() != newer.Digest() {
			t.Errorf("%s: %v, %v, digest %s, want %s", name, r.Labels, err, s.Digest(), newer.Digest())
		}
	}
	if _, err := screening.OpenAt(t.Context(), open(t, url), lost, []sources.Source{listOf(10)}, nil); !errors.Is(err, store.ErrGap) {
		t.Errorf("the lists of the time that the backup does not know: %v, want ErrGap", err)
	}
	if _, err := screening.OpenAt(t.Context(), open(t, url), time.Now(), []sources.Source{listOf(10)}, nil); err != nil {
		t.Errorf("the lists of now: %v", err)
	}
}
