package sourcetest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// A memory is a Store that keeps every rule, but for its fault.
type memory struct {
	mu    sync.Mutex
	lists map[string][]*sources.List // by source, the newest first
	fault string
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
			m.lists[l.Info.ID] = append(m.lists[l.Info.ID], m.clone(l))
		}
		return err
	}
	c, id := m.clone(l), l.Info.ID
	switch m.fault {
	case "loses removed":
		c.Removed = nil
	case "loses first seen":
		c.Entries = slices.Clone(c.Entries)
		for i := range c.Entries {
			c.Entries[i].FirstSeen = c.Accepted
		}
	case "loses the etag":
		c.Revision.ETag = ""
	case "one place":
		id = "TEST"
	case "by digest":
		m.lists[id] = slices.DeleteFunc(m.lists[id], func(o *sources.List) bool { return o.Revision.Digest == c.Revision.Digest })
	case "refuses empty lists":
		if len(c.Entries) == 0 {
			return errors.New("empty")
		}
	}
	m.lists[id] = append(m.lists[id], c)
	if m.fault != "in the order of saving" {
		slices.SortFunc(m.lists[id], func(a, b *sources.List) int { return b.Accepted.Compare(a.Accepted) })
	}
	return nil
}

func (m *memory) Confirm(ctx context.Context, source string, rev sources.Revision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.done(ctx); err != nil {
		return err
	}
	for i, l := range m.lists[source] {
		if l.Revision.Digest == rev.Digest && (i == 0 || m.fault == "confirms old ones") {
			if m.fault != "confirms nothing" {
				l.Revision = rev
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
	if m.fault == "unknown source" && m.lists[source] == nil {
		return nil, fmt.Errorf("no source %s", source)
	}
	var all []sources.Stored
	for _, l := range m.lists[source] {
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
	for _, l := range m.lists[source] {
		if l.Revision.Digest == s.Digest && (l.Accepted.Equal(s.Accepted) || m.fault == "by digest alone") {
			return m.clone(l), nil
		}
	}
	if m.fault == "nil" {
		return nil, nil
	}
	return nil, sources.ErrNotStored
}

// place returns an open for a place of its own, with a fault.
func place(fault string) func() (sources.Store, error) {
	kept := make(map[string][]*sources.List)
	return func() (sources.Store, error) {
		if fault == "forgets" {
			kept = make(map[string][]*sources.List)
		}
		return &memory{lists: kept, fault: fault}, nil
	}
}

func TestRunStore(t *testing.T) {
	sourcetest.RunStore(t, func(*testing.T) func() (sources.Store, error) { return place("") })
}

// TestStoreFaults holds that each rule finds the faults that it is about.
func TestStoreFaults(t *testing.T) {
	faults := map[string][]string{
		"empty":         {"unknown source", "nil"},
		"save":          {"loses removed", "loses first seen", "loses the etag", "refuses empty lists", "forgets"},
		"newest first":  {"in the order of saving", "by digest", "by digest alone"},
		"sources apart": {"one place"},
		"confirm":       {"confirms nothing", "confirms old ones"},
		"own list":      {"shares"},
		"cancelled":     {"deaf", "saves cancelled"},
		"concurrent":    {"unknown source"},
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
