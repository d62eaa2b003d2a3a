package storetest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/sources/store"
)

// place returns an open function for a separate place, whose Stores are made
// faulty.
func place(fault func(*storetest.Memory) store.Store) func() (store.Store, error) {
	m := new(storetest.Memory)
	return func() (store.Store, error) { return fault(m), nil }
}

func good(m *storetest.Memory) store.Store { return m }

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() (store.Store, error) { return place(good) })
}

// A faulty is a Store with some methods replaced.
type faulty struct {
	*storetest.Memory
	put      func(context.Context, string, func(io.Writer) error) error
	open     func(context.Context, string) ([]byte, error)
	list     func(context.Context) ([]string, error)
	delete   func(context.Context, string) error
	setAside func(context.Context, string) error
	append   func(context.Context, []byte) error
	read     func(context.Context, int64) ([]byte, int64, error)
}

func (f *faulty) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	if f.put != nil {
		return f.put(ctx, name, write)
	}
	return f.Memory.Put(ctx, name, write)
}

func (f *faulty) Open(ctx context.Context, name string) ([]byte, error) {
	if f.open != nil {
		return f.open(ctx, name)
	}
	return f.Memory.Open(ctx, name)
}

func (f *faulty) Names(ctx context.Context) ([]string, error) {
	if f.list != nil {
		return f.list(ctx)
	}
	return f.Memory.Names(ctx)
}

func (f *faulty) Delete(ctx context.Context, name string) error {
	if f.delete != nil {
		return f.delete(ctx, name)
	}
	return f.Memory.Delete(ctx, name)
}

func (f *faulty) SetAside(ctx context.Context, name string) error {
	if f.setAside != nil {
		return f.setAside(ctx, name)
	}
	return f.Memory.SetAside(ctx, name)
}

func (f *faulty) Append(ctx context.Context, lines []byte) error {
	if f.append != nil {
		return f.append(ctx, lines)
	}
	return f.Memory.Append(ctx, lines)
}

func (f *faulty) Read(ctx context.Context, from int64) ([]byte, int64, error) {
	if f.read != nil {
		return f.read(ctx, from)
	}
	return f.Memory.Read(ctx, from)
}

// faults are faulty Stores, by the rule that must detect the fault.
var faults = map[string]map[string]func(*storetest.Memory) store.Store{
	"empty": {
		"opens files that do not exist": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, open: func(context.Context, string) ([]byte, error) { return nil, nil }}
		},
		"deletes files that do not exist": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, delete: func(context.Context, string) error { return nil }}
		},
		"lists what is not there": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, list: func(context.Context) ([]string, error) { return []string{"x"}, nil }}
		},
	},
	"put": {
		"flips a bit": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, open: func(ctx context.Context, name string) ([]byte, error) {
				data, err := m.Open(ctx, name)
				data = bytes.Clone(data)
				data[len(data)/2] ^= 1
				return data, err
			}}
		},
		"loses the last byte": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, write func(io.Writer) error) error {
				defer func() { m.Files[name] = m.Files[name][:len(m.Files[name])-1] }()
				return m.Put(ctx, name, write)
			}}
		},
		"forgets": func(m *storetest.Memory) store.Store { return new(storetest.Memory) },
		"mixes sources": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, list: func(ctx context.Context) ([]string, error) {
				names, err := m.Names(ctx)
				return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "TEST_2") }), err
			}}
		},
	},
	"replace": {
		"keeps the first content": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, write func(io.Writer) error) error {
				if m.Files[name] != nil {
					return nil
				}
				return m.Put(ctx, name, write)
			}}
		},
		"writes in place": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, write func(io.Writer) error) error {
				old := m.Files[name]
				err := m.Put(ctx, name, write)
				copy(old, m.Files[name])
				return err
			}}
		},
	},
	"failed put": {
		"keeps what was written": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, write func(io.Writer) error) error {
				var failed error
				err := m.Put(ctx, name, func(w io.Writer) error { failed = write(w); return nil })
				return errors.Join(err, failed)
			}}
		},
		"loses the error": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, write func(io.Writer) error) error {
				m.Put(ctx, name, write)
				return nil
			}}
		},
	},
	"delete": {
		"does not delete": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, delete: func(context.Context, string) error { return nil }}
		},
		"clears content in use": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, delete: func(ctx context.Context, name string) error {
				clear(m.Files[name])
				return m.Delete(ctx, name)
			}}
		},
	},
	"set aside": {
		"lists files that were set aside": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, setAside: func(context.Context, string) error { return nil }}
		},
		"cannot set aside twice": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, setAside: func(ctx context.Context, name string) error {
				if bytes.HasPrefix(m.Journal, []byte("aside")) {
					return errors.New("exists")
				}
				m.Journal = append(m.Journal, "aside\n"...)
				return m.Delete(ctx, name)
			}}
		},
	},
	"journal": {
		"forgets the journal": func(m *storetest.Memory) store.Store { return &storetest.Memory{Files: m.Files} },
		"forgets":             func(m *storetest.Memory) store.Store { return &storetest.Memory{Files: m.Files} },
		"changes bytes": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(ctx context.Context, lines []byte) error {
				return m.Append(ctx, bytes.ToValidUTF8(lines, []byte("?")))
			}}
		},
		"keeps the last lines": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(ctx context.Context, lines []byte) error {
				m.Journal = nil
				return m.Append(ctx, lines)
			}}
		},
		"returns parts of lines": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(ctx context.Context, from int64) ([]byte, int64, error) {
				lines, next, err := m.Read(ctx, from)
				n := min(len(lines), 100)
				return lines[:n], next - int64(len(lines)-n), err
			}}
		},
		"lists its journal": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, list: func(context.Context) ([]string, error) { return []string{"journal"}, nil }}
		},
	},
	"positions": {
		"always reads all": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(ctx context.Context, from int64) ([]byte, int64, error) {
				lines, next, err := m.Read(ctx, 0)
				if from == next {
					lines = nil
				}
				return lines, next, err
			}}
		},
		"is empty beyond the end": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(ctx context.Context, from int64) ([]byte, int64, error) {
				if from > int64(len(m.Journal)) {
					return nil, from, nil
				}
				return m.Read(ctx, from)
			}}
		},
	},
	"own bytes": {
		"keeps the slice": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(_ context.Context, lines []byte) error { m.Journal = lines; return nil }}
		},
		"returns its slice": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(_ context.Context, from int64) ([]byte, int64, error) {
				return m.Journal[from:], int64(len(m.Journal)), nil
			}}
		},
	},
	"canceled": {
		"ignores the context": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, list: func(context.Context) ([]string, error) { return m.Names(context.Background()) }}
		},
		"appends nevertheless": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(ctx context.Context, lines []byte) error {
				m.Journal = append(m.Journal, lines...)
				return ctx.Err()
			}}
		},
		"puts nevertheless": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, write func(io.Writer) error) error {
				return errors.Join(m.Put(context.Background(), name, write), ctx.Err())
			}}
		},
	},
	"concurrent": {
		"loses lines": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(ctx context.Context, lines []byte) error {
				if bytes.HasPrefix(lines, []byte("1 7 ")) {
					return nil
				}
				return m.Append(ctx, lines)
			}}
		},
		"writes lines twice": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(ctx context.Context, lines []byte) error {
				return m.Append(ctx, append(lines, lines...))
			}}
		},
		"mixes lines": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(ctx context.Context, lines []byte) error {
				return m.Append(ctx, append([]byte("x"), lines...))
			}}
		},
	},
}

// TestFaults checks that each rule detects its faults.
func TestFaults(t *testing.T) {
	for _, rule := range storetest.Rules() {
		if len(faults[rule]) == 0 {
			t.Errorf("no fault of the rule %q is tried", rule)
		}
		for name, fault := range faults[rule] {
			if err := storetest.Check(rule, place(fault)); err == nil {
				t.Errorf("the rule %q does not find a store that %s", rule, name)
			}
		}
		if err := storetest.Check(rule, place(good)); err != nil {
			t.Errorf("the rule %q finds in a good store: %v", rule, err)
		}
		refused := errors.New("refused")
		if err := storetest.Check(rule, func() (store.Store, error) { return nil, refused }); !errors.Is(err, refused) {
			t.Errorf("the rule %q of a store that cannot be opened: %v", rule, err)
		}
	}
}
