package storetest_test

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

// A memory is a complete Store. It shows the size of a minimal implementation.
type memory struct {
	mu      sync.Mutex
	files   map[string][]byte
	journal []byte
}

func (m *memory) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return m.do(ctx, func() { m.files[name] = b.Bytes() })
}

func (m *memory) Open(ctx context.Context, name string) (data []byte, release func() error, err error) {
	return data, nil, m.with(ctx, name, func() { data = m.files[name] })
}

func (m *memory) Names(ctx context.Context) (names []string, err error) {
	return names, m.do(ctx, func() { names = slices.Collect(maps.Keys(m.files)) })
}

func (m *memory) Delete(ctx context.Context, name string) error {
	return m.with(ctx, name, func() { delete(m.files, name) })
}

func (m *memory) SetAside(ctx context.Context, name string) error { return m.Delete(ctx, name) }

func (m *memory) Append(ctx context.Context, lines []byte) error {
	return m.do(ctx, func() { m.journal = append(m.journal, lines...) })
}

func (m *memory) Read(ctx context.Context, from int64) (lines []byte, next int64, err error) {
	return lines, next, m.do(ctx, func() {
		if next = int64(len(m.journal)); from > next {
			from = 0
		}
		lines = bytes.Clone(m.journal[from:])
	})
}

// do calls f unless ctx has ended.
func (m *memory) do(ctx context.Context, f func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	f()
	return nil
}

// with calls f if there is a file called name.
func (m *memory) with(ctx context.Context, name string, f func()) (err error) {
	derr := m.do(ctx, func() {
		if _, ok := m.files[name]; !ok {
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
