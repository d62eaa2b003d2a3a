package storetest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A Memory is a complete Store, for tests of types that use one. Its zero value is empty. It
// shows the size of a minimal implementation.
type Memory struct {
	mu    sync.Mutex
	Files map[string][]byte
	Lines [][]byte // of the journal
}

func (m *Memory) Put(ctx context.Context, name string, data []byte) error {
	return m.do(ctx, func() error {
		if m.Files == nil {
			m.Files = make(map[string][]byte)
		}
		m.Files[name] = bytes.Clone(data)
		return nil
	})
}

func (m *Memory) Open(ctx context.Context, name string) (data []byte, err error) {
	return data, m.do(ctx, func() error { data = bytes.Clone(m.Files[name]); return m.has(name) })
}

func (m *Memory) Names(ctx context.Context) (names []string, err error) {
	return names, m.do(ctx, func() error { names = slices.Collect(maps.Keys(m.Files)); return nil })
}

func (m *Memory) Delete(ctx context.Context, name string) error {
	return m.do(ctx, func() error { err := m.has(name); delete(m.Files, name); return err })
}

func (m *Memory) Append(ctx context.Context, number uint64, text []byte) error {
	return m.do(ctx, func() error {
		last := uint64(0)
		for _, b := range m.Lines {
			if l, ok := line.Parse(b); ok {
				last = l.Seq
			}
		}
		if number != last+1 {
			return store.ErrMoved
		}
		m.Lines = append(m.Lines, bytes.Clone(text))
		return nil
	})
}

func (m *Memory) Read(ctx context.Context, _ uint64, each func([]byte) error) error {
	var lines [][]byte
	err := m.do(ctx, func() error { lines = slices.Clone(m.Lines); return nil })
	for _, l := range lines {
		if err == nil {
			err = each(bytes.Clone(l))
		}
	}
	return err
}

// Cut removes the last n lines of the journal.
func (m *Memory) Cut(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Lines = m.Lines[:len(m.Lines)-n]
}

// do calls f unless ctx has ended.
func (m *Memory) do(ctx context.Context, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

func (m *Memory) has(name string) error {
	if _, ok := m.Files[name]; !ok {
		return fmt.Errorf("%s: %w", name, store.ErrNotFound)
	}
	return nil
}
