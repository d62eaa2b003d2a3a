package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources/store"
)

// isImplied reports whether Changed events lead from the revision called name to one of the
// newer ones, so that it can be made from that.
func (a *Journal) isImplied(name string, newer []string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.memory.of(name)
	return r != nil && r.order > 0 && a.memory.path(keyOf(name), keysOf(newer), false) != nil
}

// Knows reports whether the journal says that the revision called name was accepted, or how it
// differs from another one.
func (a *Journal) Knows(ctx context.Context, name string) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	r := j.of(name)
	return r != nil && (r.order > 0 || len(r.before) > 0), err
}

// keysOf returns the names of revisions by their keys.
func keysOf(names []string) map[string]string {
	keys := make(map[string]string, len(names))
	for _, name := range names {
		keys[keyOf(name)] = name
	}
	return keys
}

// path returns the keys of the revisions on a path from one of the given ends to the revision
// with the key to: a Changed event links each to the next one. It follows events backward, and
// with both in both directions. It returns nil if there is no path.
func (j *memory) path(to string, ends map[string]string, both bool) []string {
	next := map[string]string{to: ""} // on the path, by key
	for todo := []string{to}; len(todo) > 0; {
		var more []string
		for _, key := range todo {
			if ends[key] != "" {
				path := []string{key}
				for ; key != to; path = append(path, key) {
					key = next[key]
				}
				return path
			}
			r := j.revisions[key]
			if r == nil {
				continue
			}
			links := r.after
			if both {
				links = slices.Concat(links, r.before)
			}
			for _, link := range links {
				if _, seen := next[link]; !seen {
					next[link] = key
					more = append(more, link)
				}
			}
		}
		todo = more
	}
	return nil
}

// remake makes the file of a revision, which cannot be opened, from the file of another revision
// and the changes between the two. reason is why it cannot be opened.
func (a *Journal) remake(ctx context.Context, name string, reason error) (*revision.File, error) {
	tried := []string{name}
	for {
		names, err := a.st.Names(ctx)
		if err != nil {
			return nil, err
		}
		ends := keysOf(slices.DeleteFunc(names, func(name string) bool { return slices.Contains(tried, name) }))
		a.mu.Lock()
		j, err := a.read(ctx)
		if err != nil {
			a.mu.Unlock()
			return nil, err
		}
		r, path := j.of(name), j.path(keyOf(name), ends, true)
		a.mu.Unlock()
		if r == nil || r.order == 0 || len(path) < 2 {
			return nil, reason
		}
		tried = append(tried, ends[path[0]])
		base, err := a.open(ctx, ends[path[0]])
		if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrVersion) {
			continue
		}
		if err != nil {
			return nil, err
		}
		patch, err := a.patch(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("%w; it cannot be made again: %w", reason, err)
		}
		l := line{json: r.accepted}
		p, _ := l.parsePayload()
		h := base.Header
		h.Revision, h.Entries, h.Rule = p.list(), p.Entries, ""
		_, h.Accepted, _, _ = revision.ParseName(name)
		var b bytes.Buffer
		if err := patch.Apply(&b, h, base); err != nil {
			return nil, fmt.Errorf("%w; it cannot be made again: %w: %w", reason, store.ErrDamaged, err)
		}
		return revision.Parse(b.Bytes())
	}
}

// patch returns the sum of the changes along a path.
func (a *Journal) patch(ctx context.Context, path []string) (*revision.Patch, error) {
	step := make(map[[2]string]int) // by the keys of two revisions: its number, negative if it is taken backward
	for i := range path[1:] {
		step[[2]string{path[i], path[i+1]}] = i + 1
		step[[2]string{path[i+1], path[i]}] = -(i + 1)
	}
	deltas := make([]*revision.Delta, len(path))
	err := a.scan(ctx, 0, func(l *line) (bool, error) {
		if l.kind != Changed {
			return true, nil
		}
		p, ok := l.parsePayload()
		key := func(ref string) string { return string(l.source) + " " + ref }
		n := step[[2]string{key(p.Before), key(string(l.ref))}]
		if !ok || n == 0 || deltas[max(n, -n)] != nil {
			return true, nil
		}
		d, err := inflate(p.Changes)
		if n < 0 {
			d.Dropped, d.Gained = d.Gained, d.Dropped
		}
		deltas[max(n, -n)] = &d
		return true, err
	})
	if err != nil {
		return nil, err
	}
	patch := new(revision.Patch)
	for _, d := range deltas[1:] {
		if d == nil {
			return nil, fmt.Errorf("%w: the journal has lost a change", store.ErrDamaged)
		}
		patch.Add(d.Dropped, d.Gained)
	}
	return patch, nil
}

// scan calls each for the lines of the journal from a position on, until it returns false.
func (a *Journal) scan(ctx context.Context, from int64, each func(*line) (more bool, err error)) error {
	for {
		lines, next, err := a.st.Read(ctx, from)
		if err != nil || next == from {
			return err
		}
		for text := range bytes.Lines(lines) {
			l, ok := parseLine(bytes.TrimSuffix(text, []byte("\n")))
			if !ok {
				continue
			}
			if more, err := each(&l); !more || err != nil {
				return err
			}
		}
		from = next
	}
}

// Removed returns the entries that the list of the revision called name no longer had, in the
// order in which they were removed; an entry that was listed again is among them. If after is
// the name of an earlier revision, those that were removed up to that are left out.
func (a *Journal) Removed(ctx context.Context, name, after string) (all []revision.Removal, err error) {
	a.mu.Lock()
	j, err := a.read(ctx)
	var from int64
	if r := j.of(after); err == nil && r != nil && r.order > 0 {
		from = r.position
	} else {
		after = ""
	}
	a.mu.Unlock()
	if err != nil {
		return nil, err
	}
	source, _, _, _ := revision.ParseName(name)
	to, begin := keyOf(name), keyOf(after)
	collecting := after == ""
	err = a.scan(ctx, from, func(l *line) (bool, error) {
		if string(l.source) != source || l.kind != Changed && l.kind != Accepted {
			return true, nil
		}
		key := source + " " + string(l.ref)
		if l.kind == Accepted {
			collecting = collecting || key == begin
			return key != to, nil
		}
		if !collecting {
			return true, nil
		}
		p, ok := l.parsePayload()
		if !ok {
			return true, nil
		}
		d, err := inflate(p.Changes)
		all = append(all, d.Removed...)
		return true, err
	})
	return all, err
}
