// Package book finds the addresses of yours whose verdict a refresh changed.
//
// [New] makes a [Book] of addresses in memory; [Write] makes one in a file, which [Open]
// opens. [Book.Changed] returns the addresses that a screening.Report concerns.
package book

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// A Book is a set of addresses, for example of all customers. After a refresh,
// [Book.Changed] returns those whose verdict is another one now, and [Book.ChangedOnce] does so
// over restarts. The cost depends on how much the lists have changed, not on the number of
// addresses.
//
// A Book is never changed; to add addresses, make another one. In memory and in a file, an
// address takes 29 bytes if the 20 bytes of a key, or of its hash, determine it, as on EVM
// chains, bitcoin and most others; 41 bytes for 32 bytes, as on solana; and otherwise, as on
// monero, 45 bytes or more and its text. All methods but Close may be called concurrently.
//
// A Book has addresses, not other texts: a listed string that is not an address concerns it
// only if the string can be read as one of them.
type Book struct {
	index *index.Index
}

// A Change is an address of a Book whose verdict has changed.
type Change struct {
	// Address is the address as it was added to the Book.
	Address address.Address
	// Before is what Screen returned before the refresh, After what it returns
	// since. Before is the zero Result if there was no answer, because a required list
	// was missing.
	Before, After screening.Result
}

var (
	// ErrDamaged: a file has no Book in it, or is damaged; or the Book was closed.
	ErrDamaged = errors.New("book is damaged")
	// ErrOutdated: a Book was written by a version of this module that reads addresses
	// differently, and must be made again.
	ErrOutdated = errors.New("book was written by another version")
)

// New makes a Book in memory of the given addresses, in any order; repetitions do no
// harm. An error in addresses ends it and is returned, so that no Book is made of a part
// of them. The zero Address is an error, too: [screening.ErrZeroAddress].
func New(addresses iter.Seq2[address.Address, error]) (*Book, error) {
	w := newWriter()
	if err := w.addAll(addresses); err != nil {
		return nil, err
	}
	ix, err := w.b.Build()
	if err != nil {
		return nil, fmt.Errorf("book: %w", err)
	}
	return &Book{ix}, nil
}

// Write is like [New], and writes the Book to a file, which [Open] opens. It needs about
// one and a half times the memory of the file, and three times if the Book has the texts
// of the addresses. The file at path is replaced when the new one is complete; a Book
// that was opened from the old file stays usable.
func Write(path string, addresses iter.Seq2[address.Address, error]) error {
	w := newWriter()
	if err := w.addAll(addresses); err != nil {
		return err
	}
	if err := w.b.WriteFile(path); err != nil {
		return fmt.Errorf("book: %w", err)
	}
	return nil
}

// Open opens a file that [Write] wrote. Where the system can, it maps the file into
// memory, which all processes share that have it open. The file must not be changed while
// it is open, which could end the program; it may be replaced, as Write does.
//
// Open reads and checks all of the file: ten million addresses in half a second. The
// error wraps [ErrDamaged] if the file is not what Write wrote; [ErrOutdated] if it was
// written by a version of this module that reads addresses differently; and
// [fs.ErrNotExist] if it does not exist.
func Open(path string) (*Book, error) {
	ix, err := index.Open(path)
	if err != nil {
		return nil, bookError(err)
	}
	b := &Book{ix}
	if err := b.check(); err != nil {
		ix.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// bookError returns an error of package index as one of this package.
func bookError(err error) error {
	if errors.Is(err, index.ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return fmt.Errorf("book: %w", err)
}

// Size returns how many bytes b takes.
func (b *Book) Size() int { return b.index.Size() }

// Close frees b. It must not be called while another method of b runs. It is optional:
// the garbage collector frees a Book that is no longer reachable. Changed of a closed
// Book returns an error.
func (b *Book) Close() error { return b.index.Close() }

// Changed returns the addresses of b whose verdict was changed by the refresh that r
// reports, in no order, each once. A verdict is the score, the level, the labels and the
// suppressed labels, apart from names and dates. Both verdicts are from the snapshots before
// and after that refresh, whatever was refreshed since, and however old the lists are.
//
// The refresh that loads the last required list turns errors into answers: its report
// changes all addresses that have a label. After a restart, it compares with what the program
// before answered from, if Options.Store has that; without a Store, see [Book.ChangedOnce].
//
// Nothing follows an error. It wraps [screening.ErrNotLoaded] if a required list was
// missing even after the refresh; nothing is lost then, because the report of the refresh
// that loads it covers everything. It wraps [ErrDamaged] if the file of b was changed, or
// b is closed. The zero Report is an error, too.
func (b *Book) Changed(r screening.Report) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for a, err := range b.among(r.Affected()) {
			if err != nil {
				yield(Change{}, err)
				return
			}
			before, after, differ, err := r.Compare(a)
			if err != nil {
				yield(Change{}, err)
				return
			}
			if differ && !yield(Change{a, before, after}, nil) {
				return
			}
		}
	}
}

// among returns the addresses of b that share a key with one of the entries, each once.
// Nothing follows an error.
func (b *Book) among(entries iter.Seq2[sources.Entry, error]) iter.Seq2[address.Address, error] {
	return func(yield func(address.Address, error) bool) {
		seen := make(map[address.Address]bool)
		var keys []index.ID
		for e, err := range entries {
			if err != nil {
				yield(address.Address{}, err)
				return
			}
			keys, _ = list.AppendFilings(keys[:0], &e)
			for _, k := range keys {
				found, err := b.find(k)
				if err != nil {
					yield(address.Address{}, err)
					return
				}
				for _, a := range found {
					if seen[a] {
						continue
					}
					if seen[a] = true; !yield(a, nil) {
						return
					}
				}
			}
		}
	}
}

// find returns the addresses of b that are filed under k.
func (b *Book) find(k index.ID) ([]address.Address, error) {
	set, hit := b.index.Lookup(k)
	if !hit {
		return nil, nil
	}
	numbers, err := b.index.AppendValues(nil, set)
	if err != nil {
		return nil, bookError(err)
	}
	found := make([]address.Address, len(numbers))
	for i, n := range numbers {
		text, err := b.index.Text(n)
		if err != nil {
			return nil, bookError(err)
		}
		if found[i], err = readOwn(text, k); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return found, nil
}

// A writer makes the index of a Book. Each address is filed under all keys that a
// question about it looks up. The value is the number of a text: the address with its
// chain, or, if its only key determines it, its chain and its number among the addresses that
// the key determines there. So most addresses of a chain share one text.
//
// The first text says that the file is a Book. The last has an address of each shape with
// its value and its keys, which may differ in another version of package address.
type writer struct {
	b       index.Builder
	shapes  map[shape]bool // in samples
	samples []byte
	keys    []index.ID
}

// magic is the first text of a Book.
const magic = "walletscreen book 1\n"

// A shape describes addresses that are read in the same way: their chain, the classes of
// their accounts and keys, and their value.
type shape struct {
	chain address.Chain
	tag   identity.Tag
	keys  [3]identity.Class
	value string
}

func shapeOf(a address.Address, value string) shape {
	s := shape{chain: a.Chain(), value: value}
	if _, s.tag = a.Identity(); identity.HasMore(s.tag) {
		var buf [3]address.Key
		for i, k := range a.AppendKeys(buf[:0]) {
			_, tag := k.Identity()
			s.keys[i%len(s.keys)] = identity.Account(tag)
		}
	}
	return s
}

func newWriter() *writer {
	w := &writer{shapes: make(map[shape]bool)}
	w.b.Intern(magic)
	return w
}

// addAll adds all addresses, and then the last text.
func (w *writer) addAll(addresses iter.Seq2[address.Address, error]) error {
	for a, err := range addresses {
		if err != nil {
			return err
		}
		if !a.IsValid() {
			return screening.ErrZeroAddress
		}
		w.add(a)
	}
	w.b.Intern(string(w.samples))
	return nil
}

// add adds an address.
func (w *writer) add(a address.Address) {
	w.keys = list.AppendProbes(w.keys[:0], a)
	keys, value := w.keys, valueOf(a)
	if s := shapeOf(a, value); !w.shapes[s] {
		w.shapes[s] = true
		w.samples = appendSample(w.samples, a)
	}
	if value != "" {
		w.b.Add(keys[0], w.b.Intern(value))
		keys = keys[1:] // what follows from the key does not determine the address
	}
	if len(keys) == 0 {
		return
	}
	n := w.b.Intern(a.String())
	for _, k := range keys {
		w.b.Add(k, n)
	}
}

// valueOf returns the chain of a, #, and the number of a among the addresses there that
// the first of its probes, which is its key, determines; "" if that does not determine a.
func valueOf(a address.Address) string {
	_, tag := a.Identity()
	k, ok := a.Key()
	if !ok || identity.Key(tag) == 0 {
		return ""
	}
	n := slices.Index(k.SpellingsOn(a.Chain()), a)
	if n < 0 {
		return ""
	}
	return string(a.Chain()) + "#" + strconv.Itoa(n)
}

// readOwn returns the address whose value under k is text.
func readOwn(text string, k index.ID) (a address.Address, err error) {
	if chain, number, ok := strings.Cut(text, "#"); ok {
		var key address.Key
		if err := key.UnmarshalText(fmt.Appendf(nil, "%v:%x", identity.Class(k.Class()), k.AppendBytes(nil))); err != nil {
			return a, err
		}
		all := key.SpellingsOn(address.Chain(chain))
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n >= len(all) {
			return a, fmt.Errorf("%.80q is no address of a key", text)
		}
		a = all[n]
	} else if err := a.UnmarshalText([]byte(text)); err != nil {
		return a, err
	}
	var buf [list.MaxProbes]index.ID
	if !slices.Contains(list.AppendProbes(buf[:0], a), k) {
		return a, fmt.Errorf("%.80q is filed under another key", text)
	}
	return a, nil
}

// appendSample appends the line of the last text about a.
func appendSample(b []byte, a address.Address) []byte {
	b, _ = a.AppendText(b) // never fails
	b = append(append(b, '\t'), valueOf(a)...)
	for _, k := range list.AppendProbes(nil, a) {
		b = fmt.Appendf(b, "\t%x:%x", k.Class(), k.AppendBytes(nil))
	}
	return append(b, '\n')
}

// check verifies all of b.
func (b *Book) check() error {
	if err := b.index.Verify(); err != nil {
		return bookError(err)
	}
	first, err := b.index.Text(0)
	if err != nil || first != magic {
		return fmt.Errorf("%w: want the first line of a book", ErrDamaged)
	}
	samples, err := b.index.Text(uint32(b.index.Texts() - 1))
	if err != nil {
		return bookError(err)
	}
	for line := range strings.Lines(samples) {
		text, _, _ := strings.Cut(line, "\t")
		var a address.Address
		err := a.UnmarshalText([]byte(text))
		if err != nil || string(appendSample(nil, a)) != line {
			return fmt.Errorf("%w: %.100q", ErrOutdated, text)
		}
	}
	return nil
}
