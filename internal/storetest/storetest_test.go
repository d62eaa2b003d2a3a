package storetest_test

import (
	"bytes"
	"context"
	"errors"
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
	put    func(context.Context, string, []byte) error
	open   func(context.Context, string) ([]byte, error)
	list   func(context.Context) ([]string, error)
	delete func(context.Context, string) error
	append func(context.Context, uint64, []byte) error
	read   func(context.Context, uint64, func([]byte) error) error
}

func (f *faulty) Put(ctx context.Context, name string, data []byte) error {
	if f.put != nil {
		return f.put(ctx, name, data)
	}
	return f.Memory.Put(ctx, name, data)
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

func (f *faulty) Append(ctx context.Context, number uint64, line []byte) error {
	if f.append != nil {
		return f.append(ctx, number, line)
	}
	return f.Memory.Append(ctx, number, line)
}

func (f *faulty) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	if f.read != nil {
		return f.read(ctx, from, each)
	}
	return f.Memory.Read(ctx, from, each)
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
				data[len(data)/2] ^= 1
				return data, err
			}}
		},
		"loses the last byte": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, data []byte) error { return m.Put(ctx, name, data[:len(data)-1]) }}
		},
		"forgets": func(m *storetest.Memory) store.Store { return new(storetest.Memory) },
		"refuses a second time": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, data []byte) error {
				if m.Files[name] != nil {
					return errors.New("exists")
				}
				return m.Put(ctx, name, data)
			}}
		},
	},
	"delete": {
		"does not delete": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, delete: func(context.Context, string) error { return nil }}
		},
	},
	"journal": {
		"forgets the journal": func(m *storetest.Memory) store.Store { return &storetest.Memory{Files: m.Files} },
		"changes bytes": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(ctx context.Context, from uint64, each func([]byte) error) error {
				return m.Read(ctx, from, func(b []byte) error { return each(bytes.ToUpper(b)) })
			}}
		},
		"reads only the last line": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(ctx context.Context, from uint64, each func([]byte) error) error {
				return each(m.Lines[len(m.Lines)-1])
			}}
		},
		"begins too late": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(ctx context.Context, from uint64, each func([]byte) error) error {
				for _, l := range m.Lines[min(int(from), len(m.Lines)):] {
					if err := each(l); err != nil {
						return err
					}
				}
				return nil
			}}
		},
	},
	"numbers": {
		"appends whatever it is given": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(_ context.Context, _ uint64, line []byte) error { m.Lines = append(m.Lines, line); return nil }}
		},
	},
	"own bytes": {
		"keeps the slice": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, append: func(_ context.Context, _ uint64, line []byte) error { m.Lines = append(m.Lines, line); return nil }}
		},
		"returns its slice": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, open: func(_ context.Context, name string) ([]byte, error) { return m.Files[name], nil }}
		},
	},
	"canceled": {
		"ignores the context": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, list: func(context.Context) ([]string, error) { return m.Names(context.Background()) }}
		},
		"puts nevertheless": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, put: func(ctx context.Context, name string, data []byte) error {
				return errors.Join(m.Put(context.Background(), name, data), ctx.Err())
			}}
		},
	},
	"concurrent": {
		"loses a line": func(m *storetest.Memory) store.Store {
			return &faulty{Memory: m, read: func(ctx context.Context, from uint64, each func([]byte) error) error {
				n := 0
				return m.Read(ctx, from, func(b []byte) error {
					if n++; n == 17 {
						return nil
					}
					return each(b)
				})
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
