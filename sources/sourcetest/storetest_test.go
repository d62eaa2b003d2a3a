package sourcetest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// A memory is a Store that keeps every rule, but for its fault.
type memory struct {
	mu    sync.Mutex
	kept  *kept
	fault string
}

// What is kept in a place.
type kept struct {
	lists     map[string][]*sources.List // by source, the newest first
	snapshots []*sources.Snapshot        // the newest first
}

func (m *memory) clone(l *sources.List) *sources.List {
	c := *l
	if m.fault != "shares" {
		c.Entries, c.Removed = slices.Clone(l.Entries), slices.Clone(l.Removed)
	}
	return &c
}

func (m *memory) done(ctx context.Context) error {
	if m.fault == "deaf" {
		return nil
	}
	return ctx.Err()
}

func (m *memory) Save(ctx context.Context, l *sources.List) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		if m.fault == "saves cancelled" {
			m.kept.lists[l.Info.ID] = append(m.kept.lists[l.Info.ID], m.clone(l))
		}
		return err
	}
	c, id := m.clone(l), l.Info.ID
	c.Checks = nil
	if !l.Revision.Checked.IsZero() {
		c.Checks = []time.Time{l.Revision.Checked}
	}
	switch m.fault {
	case "loses removed":
		c.Removed = nil
	case "loses first seen":
		c.Entries = slices.Clone(c.Entries)
		for i := range c.Entries {
			c.Entries[i].FirstSeen = c.Accepted
		}
	case "takes a part for the whole":
		c.Revision.Completeness = sources.Whole
	case "loses the etag":
		c.Revision.ETag = ""
	case "one place":
		id = "TEST"
	case "by digest":
		m.kept.lists[id] = slices.DeleteFunc(m.kept.lists[id], func(o *sources.List) bool { return o.Revision.Digest == c.Revision.Digest })
	case "refuses empty lists":
		if len(c.Entries) == 0 {
			return errors.New("empty")
		}
	}
	m.kept.lists[id] = append(m.kept.lists[id], c)
	if m.fault != "in the order of saving" {
		slices.SortFunc(m.kept.lists[id], func(a, b *sources.List) int { return b.Accepted.Compare(a.Accepted) })
	}
	return nil
}

func (m *memory) Confirm(ctx context.Context, source string, rev sources.Revision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		return err
	}
	for i, l := range m.kept.lists[source] {
		if l.Revision.Digest == rev.Digest && (i == 0 || m.fault == "confirms old ones") {
			if m.fault != "confirms nothing" {
				l.Revision = rev
			}
			if m.fault != "forgets checks" {
				l.Checks = append(l.Checks, rev.Checked)
			}
			return nil
		}
	}
	return sources.ErrNotStored
}

func (m *memory) Revisions(ctx context.Context, source string) ([]sources.Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		return nil, err
	}
	if m.fault == "unknown source" && m.kept.lists[source] == nil {
		return nil, fmt.Errorf("no source %s", source)
	}
	var all []sources.Stored
	for _, l := range m.kept.lists[source] {
		all = append(all, sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted})
	}
	return all, nil
}

func (m *memory) Load(ctx context.Context, source string, s sources.Stored) (*sources.List, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		return nil, err
	}
	for _, l := range m.kept.lists[source] {
		if l.Revision.Digest == s.Digest && (l.Accepted.Equal(s.Accepted) || m.fault == "by digest alone") {
			return m.clone(l), nil
		}
	}
	if m.fault == "nil" {
		return nil, nil
	}
	return nil, sources.ErrNotStored
}

func (m *memory) cloneSnapshot(s *sources.Snapshot) *sources.Snapshot {
	c := *s
	if m.fault != "shares snapshots" {
		c.Lists = maps.Clone(s.Lists)
	}
	return &c
}

func (m *memory) SaveSnapshot(ctx context.Context, s *sources.Snapshot) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		if m.fault == "saves cancelled snapshots" {
			m.kept.snapshots = append(m.kept.snapshots, m.cloneSnapshot(s))
		}
		return err
	}
	c := m.cloneSnapshot(s)
	switch m.fault {
	case "loses exceptions":
		c.Exceptions = ""
	case "loses what is not loaded":
		maps.DeleteFunc(c.Lists, func(_ string, s sources.Stored) bool { return s == sources.Stored{} })
	case "one of a digest":
		m.kept.snapshots = slices.DeleteFunc(m.kept.snapshots, func(o *sources.Snapshot) bool { return o.Digest == s.Digest })
	}
	m.kept.snapshots = append(m.kept.snapshots, c)
	if m.fault != "snapshots in the order of saving" {
		slices.SortFunc(m.kept.snapshots, func(a, b *sources.Snapshot) int { return b.Since.Compare(a.Since) })
	}
	return nil
}

func (m *memory) Snapshots(ctx context.Context) (all []sources.Stored, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		return nil, err
	}
	for _, s := range m.kept.snapshots {
		all = append(all, sources.Stored{Digest: s.Digest, Accepted: s.Since})
	}
	return all, nil
}

func (m *memory) LoadSnapshot(ctx context.Context, name sources.Stored) (*sources.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		return nil, err
	}
	for _, s := range m.kept.snapshots {
		if s.Digest == name.Digest && s.Since.Equal(name.Accepted) {
			return m.cloneSnapshot(s), nil
		}
	}
	if m.fault == "nil snapshots" {
		return nil, nil
	}
	return nil, sources.ErrNotStored
}

// place returns an open for a place of its own, with a fault.
func place(fault string) func() (sources.Store, error) {
	empty := func() *kept { return &kept{lists: make(map[string][]*sources.List)} }
	k := empty()
	return func() (sources.Store, error) {
		if fault == "forgets" {
			k = empty()
		}
		return &memory{kept: k, fault: fault}, nil
	}
}

func TestRunStore(t *testing.T) {
	sourcetest.RunStore(t, func(*testing.T) func() (sources.Store, error) { return place("") })
}

// TestStoreFaults holds that each rule finds the faults that it is about.
func TestStoreFaults(t *testing.T) {
	faults := map[string][]string{
		"empty":         {"unknown source", "nil"},
		"save":          {"loses removed", "loses first seen", "loses the etag", "takes a part for the whole", "refuses empty lists", "forgets"},
		"newest first":  {"in the order of saving", "by digest", "by digest alone"},
		"sources apart": {"one place"},
		"confirm":       {"confirms nothing", "confirms old ones", "forgets checks"},
		"snapshots": {"forgets", "loses exceptions", "loses what is not loaded", "one of a digest", "shares snapshots",
			"snapshots in the order of saving", "nil snapshots"},
		"own list":   {"shares"},
		"cancelled":  {"deaf", "saves cancelled", "saves cancelled snapshots"},
		"concurrent": {"unknown source"},
	}
	for _, rule := range sourcetest.StoreRules() {
		if len(faults[rule]) == 0 {
			t.Errorf("no fault of the rule %q is tried", rule)
		}
		for _, fault := range faults[rule] {
			open := place(fault)
			if rule == "concurrent" {
				open = func() (sources.Store, error) { return nil, errors.New("cannot be opened") }
			}
			if err := sourcetest.CheckStore(rule, open); err == nil {
				t.Errorf("the rule %q does not find a store that %s", rule, fault)
			}
		}
		if err := sourcetest.CheckStore(rule, place("")); err != nil {
			t.Errorf("the rule %q finds in a good store: %v", rule, err)
		}
	}
}
