package storetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/walletscreen/walletscreen/sources/store"
)

// A Memory is a complete Store, for tests of types that use one. Its zero value is empty. It
// shows the size of a minimal implementation.
type Memory struct {
	mu      sync.Mutex
	Files   map[string][]byte
	Journal []byte
}

func (m *Memory) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return m.do(ctx, func() {
		if m.Files == nil {
			m.Files = make(map[string][]byte)
		}
		m.Files[name] = b.Bytes()
	})
}

func (m *Memory) Open(ctx context.Context, name string) (data []byte, err error) {
	return data, m.with(ctx, name, func() { data = m.Files[name] })
}

func (m *Memory) Names(ctx context.Context) (names []string, err error) {
	return names, m.do(ctx, func() { names = slices.Collect(maps.Keys(m.Files)) })
}

func (m *Memory) Delete(ctx context.Context, name string) error {
	return m.with(ctx, name, func() { delete(m.Files, name) })
}

func (m *Memory) SetAside(ctx context.Context, name string) error { return m.Delete(ctx, name) }

func (m *Memory) Append(ctx context.Context, lines []byte) error {
	return m.do(ctx, func() { m.Journal = append(m.Journal, lines...) })
}

func (m *Memory) Read(ctx context.Context, from int64) (lines []byte, next int64, err error) {
	return lines, next, m.do(ctx, func() {
		if next = int64(len(m.Journal)); from > next {
			from = 0
		}
		lines = bytes.Clone(m.Journal[from:])
	})
}

// do calls f unless ctx has ended.
func (m *Memory) do(ctx context.Context, f func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	f()
	return nil
}

// with calls f if there is a file called name.
func (m *Memory) with(ctx context.Context, name string, f func()) (err error) {
	derr := m.do(ctx, func() {
		if _, ok := m.Files[name]; !ok {
			err = fmt.Errorf("%s: %w", name, store.ErrNotFound)
			return
		}
		f()
	})
	if derr != nil {
		return derr
	}
	return err
}
