package store_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	store "github.com/walletscreen/walletscreen/sources/store/old"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("WALLETSCREEN_TEST_SAVE_IN"); dir != "" {
		saveForEver(dir)
	}
	os.Exit(m.Run())
}

func TestConforms(t *testing.T) {
	sourcetest.RunStore(t, func(t *testing.T) func() (sources.Store, error) {
		dir := filepath.Join(t.TempDir(), "new")
		return func() (sources.Store, error) { return store.Open(dir, nil) }
	})
}

func open(t testing.TB, dir string, opts *store.Options) *store.Dir {
	t.Helper()
	d, err := store.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var ctx = context.Background()

// list returns the n-th state of a list: n entries, and n that are gone.
func list(n int, accepted time.Time) *sources.List {
	l := &sources.List{
		Info:     sources.Info{ID: "TEST", Name: "Test list", Jurisdiction: sources.US},
		Revision: sources.Revision{Digest: fmt.Sprintf("%064x", n), Checked: accepted, Records: n},
		Accepted: accepted,
	}
	for i := range n {
		e := sources.Entry{Listed: fmt.Sprintf("entry %d of %d", i, n), Kind: score.Scam, FirstSeen: accepted}
		l.Entries = append(l.Entries, e)
		l.Removed = append(l.Removed, sources.Removal{Entry: e, At: accepted})
	}
	return l
}

// files returns the names in a directory.
func files(t testing.TB, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range all {
		names = append(names, f.Name())
	}
	return names
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	accepted := time.Date(2026, 11, 21, 4, 57, 29, 120_000_000, time.UTC)
	l := list(1, accepted)
	if err := d.Save(ctx, l); err != nil {
		t.Fatal(err)
	}
	if err := d.Confirm(ctx, "TEST", l.Revision); err != nil {
		t.Fatal(err)
	}
	snap := &sources.Snapshot{
		Digest: fmt.Sprintf("%064x", 2), Since: accepted.Add(2 * time.Second),
		Lists: map[string]sources.Stored{"TEST": {Digest: l.Revision.Digest, Accepted: accepted}, "OTHER": {}},
	}
	if err := d.SaveSnapshot(ctx, snap); err != nil {
		t.Fatal(err)
	}
	revision := "TEST-20261121T045729.120000000Z-" + fmt.Sprintf("%064x", 1)
	want := []string{
		revision + ".checks", revision + ".list", "TEST.checked", "snapshot-20261121T045731.120000000Z-" + snap.Digest + ".json",
	}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	for i, begin := range []string{
		"\n20261121T045729.120000000Z ", "walletscreen list 2\nsource TEST\n", "walletscreen list 2\nsource TEST\n",
		`{"digest":"` + snap.Digest + `","since":"2026-11-21T04:57:31.12Z","lists":{"OTHER":null,"TEST":{"digest":"`,
	} {
		name := want[i]
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(string(text), begin) {
			t.Errorf("%s begins with %.40q, %v, want %q", name, text, err, begin)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
	for name, change := range map[string]func(*sources.List){
		"no id":      func(l *sources.List) { l.Info.ID = "" },
		"a path":     func(l *sources.List) { l.Info.ID = "../X" },
		"no digest":  func(l *sources.List) { l.Revision.Digest = "" },
		"odd digest": func(l *sources.List) { l.Revision.Digest = strings.Repeat("/", 64) },
		"no time":    func(l *sources.List) { l.Accepted = time.Time{} },
	} {
		l := list(2, accepted)
		change(l)
		if err := d.Save(ctx, l); err == nil {
			t.Errorf("%s: it is saved", name)
		}
	}
	for name, change := range map[string]func(*sources.Snapshot){
		"no digest":  func(s *sources.Snapshot) { s.Digest = "" },
		"odd digest": func(s *sources.Snapshot) { s.Digest = strings.Repeat("/", 64) },
		"no time":    func(s *sources.Snapshot) { s.Since = time.Time{} },
	} {
		s := *snap
		change(&s)
		if err := d.SaveSnapshot(ctx, &s); err == nil {
			t.Errorf("%s: the snapshot is saved", name)
		}
	}
	for _, s := range []sources.Stored{{}, {Digest: "x", Accepted: accepted}, {Digest: "../../" + fmt.Sprintf("%058x", 1), Accepted: accepted}} {
		if _, err := d.LoadSnapshot(ctx, s); !errors.Is(err, sources.ErrNotStored) {
			t.Errorf("LoadSnapshot(%+v): %v, want ErrNotStored", s, err)
		}
		if _, err := d.Load(ctx, "TEST", s); !errors.Is(err, sources.ErrNotStored) {
			t.Errorf("Load(%+v): %v, want ErrNotStored", s, err)
		}
	}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q still", got, want)
	}
}

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	d := open(t, dir, nil)
	if d.Path() != dir {
		t.Errorf("Path = %q, want %q", d.Path(), dir)
	}
	old, young, other := filepath.Join(dir, ".new-1"), filepath.Join(dir, ".new-2"), filepath.Join(dir, "notes.txt")
	for _, name := range []string{old, young, other} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hour := time.Now().Add(-time.Hour)
	for _, name := range []string{old, other} {
		if err := os.Chtimes(name, hour, hour); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir, nil)
	if got, want := files(t, dir), []string{".new-2", "notes.txt"}; !slices.Equal(got, want) {
		t.Errorf("after Open there is %q, want %q: what is old and unfinished goes, and nothing else", got, want)
	}
	if _, err := store.Open(other, nil); err == nil {
		t.Error("a file can be opened")
	}
}

// TestDamage damages a file in every way that is likely.
func TestDamage(t *testing.T) {
	now := time.Now().UTC()
	first, second := list(3, now.Add(-time.Hour)), list(4, now)
	for name, damage := range map[string]func([]byte) []byte{
		"a bit":        func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"the version":  func(b []byte) []byte { b[len("walletscreen list ")] ^= 4; return b },
		"all but that": func(b []byte) []byte { return b[:len("walletscreen list ")] },
		"cut":          func(b []byte) []byte { return b[:len(b)-1] },
		"empty":        func([]byte) []byte { return nil },
		"zeros":        func(b []byte) []byte { clear(b); return b },
		"another list": func([]byte) []byte { return nil }, // replaced below
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d := open(t, dir, nil)
			for _, l := range []*sources.List{first, second} {
				if err := d.Save(ctx, l); err != nil {
					t.Fatal(err)
				}
			}
			names := files(t, dir)
			b, err := os.ReadFile(filepath.Join(dir, names[1]))
			if err != nil {
				t.Fatal(err)
			}
			b = damage(b)
			if name == "another list" {
				if b, err = os.ReadFile(filepath.Join(dir, names[0])); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, names[1]), b, 0o600); err != nil {
				t.Fatal(err)
			}
			s := sources.Stored{Digest: second.Revision.Digest, Accepted: now}
			if _, err = d.Load(ctx, "TEST", s); !errors.Is(err, sources.ErrDamaged) || !strings.Contains(err.Error(), names[1]) {
				t.Errorf("Load: %v, want ErrDamaged that names %s", err, names[1])
			}
			if got, want := files(t, dir), []string{names[0], names[1] + ".damaged"}; !slices.Equal(got, want) {
				t.Errorf("files %q, want %q", got, want)
			}
			all, err := d.Revisions(ctx, "TEST")
			if err != nil || len(all) != 1 || all[0].Digest != first.Revision.Digest {
				t.Errorf("revisions %+v, %v, want the first one", all, err)
			}
			if _, err := d.Load(ctx, "TEST", s); !errors.Is(err, sources.ErrNotStored) {
				t.Errorf("the second Load: %v, want ErrNotStored", err)
			}
			if err := d.Save(ctx, second); err != nil {
				t.Fatal(err)
			}
			if l, err := d.Load(ctx, "TEST", s); err != nil || len(l.Entries) != 4 {
				t.Errorf("saved again: %v, %v", l, err)
			}
		})
	}
}

// TestNewerVersion holds that what a newer program has written is not taken for
// damaged.
func TestNewerVersion(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	l := list(1, time.Now().UTC())
	if err := d.Save(ctx, l); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	body := "walletscreen list 999\n"
	sum := sha256.Sum256([]byte(body))
	if err := os.WriteFile(filepath.Join(dir, before[0]), append([]byte(body), sum[:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := d.Load(ctx, "TEST", sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted})
	if err == nil || errors.Is(err, sources.ErrDamaged) || errors.Is(err, sources.ErrNotStored) {
		t.Errorf("Load: %v, want an error of its own", err)
	}
	if got := files(t, dir); !slices.Equal(got, before) {
		t.Errorf("files %q, want %q", got, before)
	}
}

// TestDamagedConfirmation costs the time of the last check, and no list.
func TestDamagedConfirmation(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	l := list(1, time.Now().UTC())
	later := l.Revision
	later.Checked = later.Checked.Add(time.Hour)
	if err := errors.Join(d.Save(ctx, l), d.Confirm(ctx, "TEST", later)); err != nil {
		t.Fatal(err)
	}
	s := sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted}
	if got, err := d.Load(ctx, "TEST", s); err != nil || got.Revision != later {
		t.Fatalf("Load = %+v, %v, want what was confirmed", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "TEST.checked"), []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Load(ctx, "TEST", s); err != nil || got.Revision != l.Revision {
		t.Errorf("Load = %+v, %v, want what was saved", got, err)
	}
	if !slices.Contains(files(t, dir), "TEST.checked.damaged") {
		t.Errorf("files %q, want one set aside", files(t, dir))
	}
}

// TestSavedAgain has the file of a list that was confirmed lost: the program that holds
// it saves it again, and it is as old as that program says.
func TestSavedAgain(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	l := list(1, time.Date(2026, 11, 21, 4, 57, 29, 0, time.UTC))
	name := sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted}
	checked := func(after time.Duration) sources.Revision {
		rev := l.Revision
		rev.Checked = l.Accepted.Add(after)
		return rev
	}
	if err := errors.Join(d.Save(ctx, l), d.Confirm(ctx, "TEST", checked(time.Hour))); err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob(filepath.Join(dir, "*.list"))
	if err != nil || len(lists) != 1 || os.Remove(lists[0]) != nil {
		t.Fatalf("%q, %v", lists, err)
	}
	l.Revision = checked(2 * time.Hour)
	if err := d.Save(ctx, l); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Load(ctx, "TEST", name); err != nil || got.Revision != l.Revision {
		t.Errorf("saved again: %+v, %v, want %+v", got, err, l.Revision)
	}
	older := list(2, l.Accepted.Add(-time.Hour)) // by a program that knows of no newer one
	if err := errors.Join(d.Confirm(ctx, "TEST", checked(3*time.Hour)), d.Save(ctx, older)); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Load(ctx, "TEST", name); err != nil || got.Revision != checked(3*time.Hour) {
		t.Errorf("with an older one: %+v, %v, want %+v", got, err, checked(3*time.Hour))
	}
}

func TestPolicy(t *testing.T) {
	now := time.Now().UTC()
	for _, tt := range []struct {
		name string
		opts *store.Options
		want int
	}{
		{"default", nil, 30},
		{"three", &store.Options{Keep: 3}, 3},
		{"the newest", &store.Options{Keep: 1}, 1},
		{"all", &store.Options{Keep: -1}, 40},
		// One a day: today's, those of five days, and the one that the oldest of
		// them replaced within the time.
		{"five days and a half", &store.Options{Keep: 1, KeepFor: 132 * time.Hour}, 7},
		{"ten, or two days", &store.Options{Keep: 10, KeepFor: 48 * time.Hour}, 10},
	} {
		d := open(t, t.TempDir(), tt.opts)
		for i := range 40 {
			if err := d.Save(ctx, list(i+1, now.AddDate(0, 0, i-39))); err != nil {
				t.Fatal(err)
			}
		}
		all, err := d.Revisions(ctx, "TEST")
		if err != nil || len(all) != tt.want || !all[0].Accepted.Equal(now) {
			t.Errorf("%s: %d revisions, %v, want %d, the newest first", tt.name, len(all), err, tt.want)
		}
	}
}

// TestPast opens a state of the past by its date.
func TestPast(t *testing.T) {
	d := open(t, t.TempDir(), nil)
	now := time.Now().UTC()
	for i := range 5 {
		if err := d.Save(ctx, list(i+1, now.AddDate(0, 0, i))); err != nil {
			t.Fatal(err)
		}
	}
	all, err := d.Revisions(ctx, "TEST")
	if err != nil {
		t.Fatal(err)
	}
	for days, want := range map[int]int{0: 1, 2: 3, 3: 4, 100: 5} {
		s, ok := sources.At(all, now.AddDate(0, 0, days).Add(time.Hour))
		if !ok {
			t.Fatalf("no revision of day %d", days)
		}
		l, err := d.Load(ctx, "TEST", s)
		if err != nil || len(l.Entries) != want {
			t.Errorf("day %d: %+v, %v, want %d entries", days, l, err, want)
		}
		rev, err := l.Source().Load(ctx, sources.Revision{}, func(sources.Entry) error { want--; return nil })
		if err != nil || want != 0 || rev != l.Revision {
			t.Errorf("day %d as a Source: %+v, %v, %d entries missing", days, rev, err, want)
		}
	}
	if s, ok := sources.At(all, now.Add(-1)); ok {
		t.Errorf("before the first there is %+v", s)
	}
}

// saveForEver saves lists until it is killed, and says each time when it has.
func saveForEver(dir string) {
	d, err := store.Open(dir, &store.Options{Keep: 3})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for n := 1; ; n++ {
		l := list(100+n%7, time.Now().UTC())
		err := d.Save(ctx, l)
		if err == nil {
			fmt.Println(l.Accepted.Format(time.RFC3339Nano))
			l.Revision.Checked = l.Revision.Checked.Add(time.Hour)
			err = d.Confirm(ctx, "TEST", l.Revision)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// TestKill kills a program that saves, at 50 instants, and looks at what is left:
// each file whole, none that is not known, and the newest at least as new as what
// the program knew to be saved.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	unfinished := 0
	for range 50 {
		child := exec.Command(self)
		child.Env = append(os.Environ(), "WALLETSCREEN_TEST_SAVE_IN="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		var saved time.Time
		note := func() bool {
			if !lines.Scan() {
				return false
			}
			if at, err := time.Parse(time.RFC3339Nano, lines.Text()); err == nil { // the last may be cut
				saved = at
			}
			return true
		}
		if !note() || saved.IsZero() {
			t.Fatalf("the program that saves does not: %q", lines.Text())
		}
		time.Sleep(rand.N(20 * time.Millisecond))
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for note() {
		}
		child.Wait()

		d := open(t, dir, nil)
		all, err := d.Revisions(ctx, "TEST")
		if err != nil || len(all) == 0 || all[0].Accepted.Before(saved) {
			t.Fatalf("revisions %+v, %v, want one of %v or later", all, err, saved)
		}
		for _, s := range all {
			l, err := d.Load(ctx, "TEST", s)
			if err != nil || len(l.Entries) != l.Revision.Records || len(l.Removed) != l.Revision.Records {
				t.Fatalf("killed, and it is %+v, %v", l, err)
			}
		}
		for _, name := range files(t, dir) {
			switch {
			case strings.HasPrefix(name, ".new-"):
				unfinished++
				old := time.Now().Add(-time.Hour)
				if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
					t.Fatal(err)
				}
			case !strings.HasSuffix(name, ".list") && !strings.HasSuffix(name, ".checks") && name != "TEST.checked":
				t.Fatalf("killed, and there is %s", name)
			}
		}
	}
	open(t, dir, nil)
	for _, name := range files(t, dir) {
		if strings.HasPrefix(name, ".new-") {
			t.Errorf("%s is not swept", name)
		}
	}
	t.Logf("%d files were left unfinished by 50 kills", unfinished)
}

// ofac saves the list of OFAC that is bundled, and returns where.
func ofac(b *testing.B) (d *store.Dir, l *sources.List) {
	src := bundle.OFAC()
	l = &sources.List{Info: src.Info(), Accepted: time.Now().UTC()}
	var err error
	l.Revision, err = src.Load(ctx, sources.Revision{}, func(e sources.Entry) error {
		l.Entries = append(l.Entries, e)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	d = open(b, b.TempDir(), nil)
	if err := d.Save(ctx, l); err != nil {
		b.Fatal(err)
	}
	return d, l
}

func BenchmarkSave(b *testing.B) {
	d, l := ofac(b)
	for b.Loop() {
		if err := d.Save(ctx, l); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	d, l := ofac(b)
	for b.Loop() {
		d, err := store.Open(d.Path(), nil)
		if err != nil {
			b.Fatal(err)
		}
		all, err := d.Revisions(ctx, l.Info.ID)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.Load(ctx, l.Info.ID, all[0]); err != nil {
			b.Fatal(err)
		}
	}
}
