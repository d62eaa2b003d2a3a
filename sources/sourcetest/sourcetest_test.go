package sourcetest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

var (
	info = sources.Info{ID: "TEST", Name: "Test list", Jurisdiction: sources.Community}
	list = []sources.Entry{
		{
			Address: address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"),
			Listed:  "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
			Kind:    score.Scam,
			Ref:     "1",
		},
		{Listed: "0x9CdfC5b0ACA4527a0916412E9dbD6AD85556A49", Kind: score.Scam, Ref: "2"},
		{
			Address:  address.MustParse("bsc", "0xd882cfc20f52f2599d84b8e8d58c7fb62cfe344b"),
			Kind:     score.Phishing,
			ListedAt: time.Date(2020, 3, 2, 0, 0, 0, 0, time.UTC),
		},
	}
)

// A fake is a Source that consists of two functions.
type fake struct {
	info func() sources.Info
	load func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error)
}

func (f fake) Info() sources.Info { return f.info() }

func (f fake) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return f.load(ctx, prev, add)
}

// good returns a Source that follows every rule, to be modified.
func good() fake {
	src := sources.Static(info, list...)
	return fake{src.Info, src.Load}
}

// entry returns a good Source whose second entry is e.
func entry(e sources.Entry) sources.Source {
	return sources.Static(info, list[0], e, list[2])
}

// revised returns a good Source whose revision is modified by change.
func revised(change func(*sources.Revision)) sources.Source {
	src := good()
	load := src.load
	src.load = func(ctx context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		rev, err := load(ctx, sources.Revision{}, add)
		change(&rev)
		return rev, err
	}
	return src
}

func TestRun(t *testing.T) {
	static := func(*testing.T) sources.Source { return sources.Static(info, list...) }
	t.Run("static", func(t *testing.T) { sourcetest.Run(t, static) })
	t.Run("one entry", func(t *testing.T) {
		sourcetest.Run(t, func(*testing.T) sources.Source { return sources.Static(info, list[0]) })
	})
	t.Run("never unchanged", func(t *testing.T) {
		sourcetest.Run(t, func(*testing.T) sources.Source { return revised(func(*sources.Revision) {}) })
	})
	t.Run("no entries", func(t *testing.T) {
		sourcetest.Run(t, func(*testing.T) sources.Source {
			return fake{good().info, func(ctx context.Context, _ sources.Revision, _ func(sources.Entry) error) (sources.Revision, error) {
				return sources.Revision{Digest: strings.Repeat("a", 64), Records: 9}, ctx.Err()
			}}
		})
	})
}

// TestBroken checks that sourcetest detects Sources that break a rule.
func TestBroken(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	digest := strings.Repeat("0123456789abcdef", 4)
	var calls atomic.Int64
	tests := []struct {
		name string
		rule string
		src  func() sources.Source
	}{
		{"bad id", "info", func() sources.Source {
			return sources.Static(sources.Info{ID: "no", Name: "n", Jurisdiction: "US"}, list...)
		}},
		{"unknown jurisdiction", "info", func() sources.Source {
			return sources.Static(sources.Info{ID: "NO", Name: "n", Jurisdiction: "xx"}, list...)
		}},
		{"info changes", "info", func() sources.Source {
			src := good()
			src.info = func() sources.Info {
				i := info
				i.Name += strings.Repeat("!", int(calls.Add(1)%2))
				return i
			}
			return src
		}},
		{"info of another source differs", "info", func() sources.Source {
			i := info
			i.Name += strings.Repeat("!", int(calls.Add(1)%2))
			return sources.Static(i, list...)
		}},
		{"info changes with the load", "info", func() sources.Source {
			src, i := good(), info
			load := src.load
			src.info = func() sources.Info { return i }
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				i.Name = "Loaded"
				return load(ctx, prev, add)
			}
			return src
		}},

		{"no digest", "revision", func() sources.Source { return revised(func(r *sources.Revision) { r.Digest = "" }) }},
		{"short digest", "revision", func() sources.Source { return revised(func(r *sources.Revision) { r.Digest = digest[1:] }) }},
		{"digest in capitals", "revision", func() sources.Source {
			return revised(func(r *sources.Revision) { r.Digest = strings.ToUpper(digest) })
		}},
		{"no records", "revision", func() sources.Source { return revised(func(r *sources.Revision) { r.Records = 0 }) }},
		{"published elsewhere", "revision", func() sources.Source {
			return revised(func(r *sources.Revision) { r.Published = time.Date(2020, 1, 1, 0, 0, 0, 0, zone) })
		}},
		{"checked elsewhere", "revision", func() sources.Source {
			return revised(func(r *sources.Revision) { r.Checked = time.Date(2020, 1, 1, 0, 0, 0, 0, zone) })
		}},
		{"checked in the future", "revision", func() sources.Source {
			return revised(func(r *sources.Revision) { r.Checked = time.Now().UTC().AddDate(1, 0, 0) })
		}},

		{"lists nothing", "entries", func() sources.Source { return entry(sources.Entry{Kind: score.Scam, Ref: "3"}) }},
		{"lists blanks", "entries", func() sources.Source { return entry(sources.Entry{Listed: " \u200b", Kind: score.Scam}) }},
		{"unknown kind", "entries", func() sources.Source { return entry(sources.Entry{Listed: "x", Kind: "RUDENESS"}) }},
		{"no kind", "entries", func() sources.Source { return entry(sources.Entry{Listed: "x"}) }},
		{"official kind", "entries", func() sources.Source { return entry(sources.Entry{Listed: "x", Kind: score.Sanctioned}) }},
		{"listed elsewhere", "entries", func() sources.Source {
			return entry(sources.Entry{Listed: "x", Kind: score.Scam, ListedAt: time.Date(2020, 1, 1, 0, 0, 0, 0, zone)})
		}},
		{"seen elsewhere", "entries", func() sources.Source {
			return entry(sources.Entry{Listed: "x", Kind: score.Scam, FirstSeen: time.Date(2020, 1, 1, 0, 0, 0, 0, zone)})
		}},
		{"absent elsewhere", "entries", func() sources.Source {
			return entry(sources.Entry{Listed: "x", Kind: score.Scam, NotListedOn: time.Date(2020, 1, 1, 0, 0, 0, 0, zone)})
		}},

		{"address was not decoded", "listed", func() sources.Source {
			return entry(sources.Entry{Listed: list[0].Listed, Asset: "ETH", Kind: score.Scam})
		}},
		{"address of the next line", "listed", func() sources.Source {
			return entry(sources.Entry{Address: list[2].Address, Listed: list[0].Listed, Kind: score.Scam})
		}},

		{"unchanged since nothing", "repeat", func() sources.Source {
			src, n := good(), 0
			load := src.load
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				if n++; n > 1 {
					return sources.Revision{Digest: digest}, sources.ErrUnchanged
				}
				return load(ctx, prev, add)
			}
			return src
		}},
		{"another order", "repeat", func() sources.Source {
			src, turn := good(), list
			src.load = func(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				for _, e := range turn {
					add(e)
				}
				turn = slices.Clone(turn)
				slices.Reverse(turn)
				return sources.Revision{Digest: digest, Records: 3}, nil
			}
			return src
		}},
		{"another digest", "repeat", func() sources.Source {
			return revised(func(r *sources.Revision) {
				r.Digest = strings.Repeat([]string{"a", "b"}[calls.Add(1)%2], 64)
			})
		}},
		{"fewer entries", "repeat", func() sources.Source {
			src, n := good(), len(list)
			src.load = func(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				for _, e := range list[:n] {
					add(e)
				}
				n--
				return sources.Revision{Digest: digest, Records: 3}, nil
			}
			return src
		}},

		{"unchanged but added", "prev", func() sources.Source {
			src := good()
			load := src.load
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				rev, err := load(ctx, sources.Revision{}, add)
				if !prev.IsZero() {
					err = sources.ErrUnchanged
				}
				return rev, err
			}
			return src
		}},
		{"unchanged but another digest", "prev", func() sources.Source {
			src := good()
			load := src.load
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				rev, err := load(ctx, prev, add)
				if err != nil {
					rev = sources.Revision{}
				}
				return rev, err
			}
			return src
		}},
		{"refuses a revision", "prev", func() sources.Source {
			src := good()
			load := src.load
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				if !prev.IsZero() {
					return prev, errors.New("prev: not supported")
				}
				return load(ctx, prev, add)
			}
			return src
		}},

		{"unchanged since any revision", "other prev", func() sources.Source {
			src := good()
			load := src.load
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				if !prev.IsZero() {
					return prev, sources.ErrUnchanged
				}
				return load(ctx, prev, add)
			}
			return src
		}},

		{"ignores the context", "cancelled before", func() sources.Source {
			src := good()
			load := src.load
			src.load = func(_ context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				return load(context.Background(), prev, add)
			}
			return src
		}},
		{"asks the context once", "cancelled during", func() sources.Source {
			src := good()
			load := src.load
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				if err := ctx.Err(); err != nil {
					return sources.Revision{}, err
				}
				return load(context.Background(), prev, add)
			}
			return src
		}},
		{"another error on the end of the context", "cancelled during", func() sources.Source {
			src := good()
			load := src.load
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				rev, err := load(ctx, prev, add)
				if errors.Is(err, context.Canceled) {
					err = errors.New("stopped")
				}
				return rev, err
			}
			return src
		}},

		{"ignores the error of add", "add error", func() sources.Source {
			src := good()
			src.load = func(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				for _, e := range list {
					add(e)
				}
				return sources.Revision{Digest: digest, Records: 3}, nil
			}
			return src
		}},
		{"returns the error of add at the end", "add error", func() sources.Source {
			src := good()
			src.load = func(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				var first error
				for _, e := range list {
					if err := add(e); first == nil {
						first = err
					}
				}
				return sources.Revision{Digest: digest, Records: 3}, first
			}
			return src
		}},
		{"does not wrap the error of add", "add error", func() sources.Source {
			src := good()
			src.load = func(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				for _, e := range list {
					if err := add(e); err != nil {
						return sources.Revision{}, errors.New("add: " + err.Error())
					}
				}
				return sources.Revision{Digest: digest, Records: 3}, nil
			}
			return src
		}},

		{"one load at a time", "concurrent", func() sources.Source {
			src := good()
			load := src.load
			var running, seen atomic.Int64
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				if seen.Add(1) > 1 { // the first comes alone
					running.Add(1)
					defer running.Add(-1)
					time.Sleep(time.Nanosecond) // in a bubble: until all are here
					if running.Load() > 1 {
						return sources.Revision{}, errors.New("busy")
					}
				}
				return load(ctx, prev, add)
			}
			return src
		}},

		{"gives up on a slow caller", "concurrent", func() sources.Source {
			src := good()
			load, loading := src.load, new(atomic.Int64)
			src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				defer loading.Add(-1)
				if loading.Add(1) > 1 {
					return sources.Revision{}, errors.New("one at a time, please")
				}
				return load(ctx, prev, add)
			}
			return src
		}},

		{"uses a buffer again", "own entries", func() sources.Source {
			src := good()
			src.load = func(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				buf := make([]byte, 3)
				for _, s := range []string{"one", "two"} {
					copy(buf, s)
					add(sources.Entry{Listed: unsafe.String(&buf[0], len(buf)), Kind: score.Scam})
				}
				return sources.Revision{Digest: digest, Records: 2}, nil
			}
			return src
		}},
	}
	broken := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := sourcetest.Check(tt.rule, tt.src)
				if err == nil {
					t.Fatalf("the rule %q is kept, want it broken", tt.rule)
				}
				t.Log(err)
			})
		})
		broken[tt.rule] = true
	}
	for _, rule := range sourcetest.Rules() {
		if !broken[rule] {
			t.Errorf("no test breaks the rule %q", rule)
		}
		if err := sourcetest.Check(rule, func() sources.Source { return good() }); err != nil {
			t.Errorf("a good source breaks the rule %q: %v", rule, err)
		}
	}
}

// TestHoldsUp uses Loads that wait for the callers of each other.
func TestHoldsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := make(chan struct{}, 1)
		src := good()
		load := src.load
		src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			turn <- struct{}{}
			defer func() { <-turn }()
			return load(ctx, prev, add)
		}
		err := sourcetest.Check("concurrent", func() sources.Source { return src })
		if err == nil || !strings.Contains(err.Error(), "still waits") {
			t.Errorf("error %v, want that another Load still waits", err)
		}
	})
}

// TestHangs uses a Load that ignores the end of its context. It runs with a
// fake clock: the real time would be as long as patience.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		defer close(forever)
		src := good()
		src.load = func(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			if ctx.Err() == nil {
				return good().Load(ctx, prev, add)
			}
			<-forever
			return sources.Revision{}, nil
		}
		err := sourcetest.Check("cancelled before", func() sources.Source { return src })
		if err == nil || !strings.Contains(err.Error(), "still waits") {
			t.Errorf("error %v, want that a Load still waits", err)
		}
	})
}
