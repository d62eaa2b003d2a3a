package sources_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

var (
	info = sources.Info{ID: "TEST", Name: "Test list", Jurisdiction: sources.US}
	list = []sources.Entry{
		{
			Address: address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"),
			Listed:  "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
			Asset:   "ETH",
			Kind:    score.Sanctioned,
			Ref:     "27307",
			Name:    "LAZARUS GROUP",
		},
		{Listed: "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", Asset: "XMR", Kind: score.Sanctioned, Ref: "1"},
		{Address: address.MustParse("bsc", "0xd882cfc20f52f2599d84b8e8d58c7fb62cfe344b"), Kind: score.Sanctioned, Ref: "2"},
	}
)

// load returns everything that one Load yields.
func load(src sources.Source, prev sources.Revision) ([]sources.Entry, sources.Revision, error) {
	var entries []sources.Entry
	rev, err := src.Load(context.Background(), prev, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, rev, err
}

func TestStaticConforms(t *testing.T) {
	sourcetest.Run(t, func(*testing.T) sources.Source { return sources.Static(info, list...) })
}

func TestStatic(t *testing.T) {
	entries := slices.Clone(list)
	src := sources.Static(info, entries...)
	entries[0] = sources.Entry{}
	got, rev, err := load(src, sources.Revision{})
	if err != nil || !slices.Equal(got, list) {
		t.Errorf("Load gave %+v, %v, want %+v, whatever became of the argument", got, err, list)
	}
	if rev.Records != 3 {
		t.Errorf("Records = %d, want 3", rev.Records)
	}
	got, again, err := load(src, rev)
	if !errors.Is(err, sources.ErrUnchanged) || got != nil || again != rev {
		t.Errorf("Load with its own revision gave %+v, %+v, %v, want nothing, %+v, ErrUnchanged", got, again, err, rev)
	}
}

// TestStaticDigest checks that lists have equal digests exactly when they are
// equal.
func TestStaticDigest(t *testing.T) {
	digest := func(entries ...sources.Entry) string {
		_, rev, err := load(sources.Static(info, entries...), sources.Revision{})
		if err != nil {
			t.Fatal(err)
		}
		return rev.Digest
	}
	change := func(f func(*sources.Entry)) string {
		e := list[0]
		f(&e)
		return digest(e)
	}
	digests := map[string]string{
		"one entry": digest(list[0]),
		"none":      digest(),
		"twice":     digest(list[0], list[0]),
		"two":       digest(list[0], list[1]),
		"exchanged": digest(list[1], list[0]),
		"chain":     change(func(e *sources.Entry) { e.Address = address.MustParse("bsc", e.Address.Normalized()) }),
		"listed":    change(func(e *sources.Entry) { e.Listed = "" }),
		"asset":     change(func(e *sources.Entry) { e.Asset = "USDC" }),
		"kind":      change(func(e *sources.Entry) { e.Kind = score.TerroristFinancing }),
		"ref":       change(func(e *sources.Entry) { e.Ref = "27308" }),
		"name":      change(func(e *sources.Entry) { e.Name = "" }),
		"ref, name": change(func(e *sources.Entry) { e.Ref, e.Name = e.Ref+"\t"+e.Name, "" }),
		"date":      change(func(e *sources.Entry) { e.ListedAt = time.Date(2022, 4, 14, 0, 0, 0, 0, time.UTC) }),
		"party":     change(func(e *sources.Entry) { e.EntityListedAt = time.Date(2022, 4, 14, 0, 0, 0, 0, time.UTC) }),
		"until":     change(func(e *sources.Entry) { e.Until = time.Date(2022, 4, 14, 0, 0, 0, 0, time.UTC) }),
	}
	seen := map[string]string{}
	for name, d := range digests {
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", name, other)
		}
		seen[d] = name
	}
	if got := digest(list[0]); got != digests["one entry"] {
		t.Errorf("digest %s, and before %s", got, digests["one entry"])
	}
}
