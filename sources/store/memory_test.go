package store_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/walletscreen/walletscreen/sources/store"
)

// A memory is a Store for tests of types that use a Store.
type memory struct {
	mu      sync.Mutex
	files   map[string][]byte
	journal []byte
}

func newMemory() *memory { return &memory{files: make(map[string][]byte)} }

func (m *memory) Put(_ context.Context, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.files[name] = b.Bytes()
	}
	return err
}

func (m *memory) Open(_ context.Context, name string) ([]byte, func() error, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if data, ok := m.files[name]; ok {
		return data, nil, nil
	}
	return nil, nil, store.ErrNotFound
}

func (m *memory) Names(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.files)), nil
}

func (m *memory) Delete(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
	return nil
}

func (m *memory) SetAside(ctx context.Context, name string) error { return m.Delete(ctx, name) }

func (m *memory) Append(_ context.Context, lines []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.journal = append(m.journal, lines...)
	return nil
}

func (m *memory) Read(_ context.Context, from int64) ([]byte, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := int64(len(m.journal))
	if from > next {
		from = 0
	}
	return bytes.Clone(m.journal[from:]), next, nil
}
