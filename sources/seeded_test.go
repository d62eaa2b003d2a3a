package sources_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

func TestSeededConforms(t *testing.T) {
	sourcetest.Run(t, func(*testing.T) sources.Source {
		return sources.Seeded(sources.Static(info, list...), sources.Static(sources.Info{}, list...))
	})
}

func TestSeeded(t *testing.T) {
	seed := sources.Static(sources.Info{ID: "SEED", Name: "Seed", Jurisdiction: sources.EU}, list[0])
	src := sources.Seeded(sources.Static(info, list...), seed)
	if got := src.Info(); got != info {
		t.Errorf("Info = %+v, want that of the live source, %+v", got, info)
	}
	first, rev, err := load(src, sources.Revision{})
	if err != nil || !slices.Equal(first, list[:1]) {
		t.Fatalf("the first Load gave %+v, %v, want the seed's %+v", first, err, list[:1])
	}
	second, revSecond, err := load(src, rev)
	if err != nil || !slices.Equal(second, list) {
		t.Fatalf("the second Load gave %+v, %v, want the live source's %+v", second, err, list)
	}
	if _, _, err := load(src, revSecond); !errors.Is(err, sources.ErrUnchanged) {
		t.Errorf("the third Load: error %v, want ErrUnchanged", err)
	}
}

// TestSeededLiveFails checks that the seed does not hide failures of the live source
// once the seed has been loaded.
func TestSeededLiveFails(t *testing.T) {
	down := errors.New("down")
	src := sources.Seeded(failing{down}, sources.Static(info, list...))
	_, rev, err := load(src, sources.Revision{})
	if err != nil {
		t.Fatalf("the first Load: %v", err)
	}
	if got, _, err := load(src, rev); !errors.Is(err, down) || got != nil {
		t.Errorf("the second Load gave %+v, %v, want nothing and the error of the live source", got, err)
	}
}

// A failing source always fails to load.
type failing struct{ err error }

func (failing) Info() sources.Info { return info }

func (f failing) Load(context.Context, sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return sources.Revision{}, f.err
}

// A part is a source of a partial list.
type part struct{ sources.Source }

func (p part) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := p.Source.Load(ctx, prev, add)
	rev.Completeness = sources.Partial
	return rev, err
}

// TestSeededPart checks that a caller that has the partial list gets the whole list,
// even if the digests are equal.
func TestSeededPart(t *testing.T) {
	for name, live := range map[string]sources.Source{"more": sources.Static(info, list...), "the same": sources.Static(info, list[:2]...)} {
		src := sources.Seeded(live, part{sources.Static(info, list[:2]...)})
		got, rev, err := load(src, sources.Revision{})
		if err != nil || !slices.Equal(got, list[:2]) || rev.Completeness != sources.Partial {
			t.Fatalf("the first Load gave %+v, %+v, %v, want a part", got, rev, err)
		}
		want, _, _ := load(live, sources.Revision{})
		got, rev, err = load(src, rev)
		if err != nil || !slices.Equal(got, want) || rev.Completeness != sources.Whole {
			t.Errorf("%s: the second Load gave %+v, %+v, %v, want all of the live source's", name, got, rev, err)
		}
	}
}
