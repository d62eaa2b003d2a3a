package screening

import (
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
)

// A Book is a set of the caller's own addresses, of all its customers for
// example, that is asked after a refresh which of them have another verdict now.
// What that costs follows from how much the lists have changed, not from how
// many addresses there are: tens of millions are nothing special.
//
// A Book is never changed; a larger one is made anew. In memory and in a file it
// takes about 30 bytes for an address of an EVM chain, and of others 45 and the
// text of the address with its chain. All its methods but Close may be called
// concurrently.
//
// A Book has addresses, not any text: that a list prints a string which is no
// address concerns it only as far as somebody may read the string as one.
type Book struct {
	index *index.Index
}

// A Change is an address of a Book whose verdict has changed.
type Change struct {
	// Address is as it was added to the Book.
	Address address.Address
	// Before is what Screen returned before the refresh, After what it returns
	// since. Before is the zero Result if there was no answer yet, for not all
	// required lists were loaded.
	Before, After Result
}

// NewBook makes a Book, in memory, of all addresses that are given, in any order;
// repetitions do no harm. An error ends it, and is returned: whoever reads the
// addresses from somewhere passes on what goes wrong there, lest the Book be made
// of a part of them. The zero Address is an error too, [ErrZeroAddress].
func NewBook(addresses iter.Seq2[address.Address, error]) (*Book, error) {
	w := newBookWriter()
	if err := w.addAll(addresses); err != nil {
		return nil, err
	}
	ix, err := w.b.Build()
	if err != nil {
		return nil, fmt.Errorf("screening: book: %w", err)
	}
	return &Book{ix}, nil
}

// WriteBook is NewBook into a file, which [OpenBook] opens. While it is made, the
// Book takes as much memory as it will take in the file, and half as much again.
// path is the old file, or whatever was there, until the new one is complete; who
// has the old one open keeps it.
func WriteBook(path string, addresses iter.Seq2[address.Address, error]) error {
	w := newBookWriter()
	if err := w.addAll(addresses); err != nil {
		return err
	}
	if err := w.b.WriteFile(path); err != nil {
		return fmt.Errorf("screening: book: %w", err)
	}
	return nil
}

// OpenBook opens a file that WriteBook wrote. The file is mapped into memory, and
// read there by all processes that have it open, where the system can do that. It
// must not be changed while it is open; it may be replaced, as WriteBook does.
//
// All of the file is read once and checked, at some GB in a second. The error
// wraps [ErrBookDamaged] if it is not what WriteBook wrote, and [ErrBookOutdated]
// if it was written by a version of this module that reads addresses differently:
// then it must be made anew.
func OpenBook(path string) (*Book, error) {
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

// bookError returns an error of index as one of a Book.
func bookError(err error) error {
	if errors.Is(err, index.ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrBookDamaged, err)
	}
	return fmt.Errorf("screening: %w", err)
}

// Size returns how many bytes b takes.
func (b *Book) Size() int { return b.index.Size() }

// Close gives back the memory of b, to which no method may be under way. It need
// not be called: the garbage collector gives back the memory of a Book that
// cannot be reached any more. Of a closed Book, Changed returns an error.
func (b *Book) Close() error { return b.index.Close() }

// Changed returns the addresses of b whose verdict changed by the refresh that r
// reports, in no particular order, each once. A verdict is the score, the level
// and the labels, but for the names and dates in these. Both verdicts are found
// in the snapshots before and after that refresh, whatever was refreshed since,
// and however old the lists are.
//
// The refresh that first has all required lists makes answers of no answers: of
// its report, what changed are all addresses that have a label.
//
// After an error there is nothing more. It wraps [ErrNotLoaded] if after that
// refresh a required list was still missing: nothing is lost, the report of the
// refresh that brings it tells all. It wraps [ErrBookDamaged] if the file of b was
// changed, or b is closed.
func (b *Book) Changed(r Report) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if r.after == nil {
			yield(Change{}, errors.New("screening: the report is of no refresh"))
			return
		}
		if err := r.after.ready(0); err != nil {
			yield(Change{}, err)
			return
		}
		seen := make(map[address.Address]struct{})
		for k := range r.keys() {
			found, err := b.find(k)
			if err != nil {
				yield(Change{}, err)
				return
			}
			for _, a := range found {
				if _, ok := seen[a]; ok {
					continue
				}
				seen[a] = struct{}{}
				c, changed, err := r.screen(a)
				if err != nil {
					yield(Change{}, err)
					return
				}
				if changed && !yield(c, nil) {
					return
				}
			}
		}
	}
}

// find returns the addresses that are in b under k.
func (b *Book) find(k index.Key) ([]address.Address, error) {
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
			return nil, fmt.Errorf("%w: %w", ErrBookDamaged, err)
		}
	}
	return found, nil
}

// A bookWriter makes the index of a Book. Each address is there under all that
// controls it, or under its account if nothing shows what does: who has the
// account has the keys too, for they are the same in all spellings of an account.
// The value is the number of a text: the address with its chain, or the chain
// alone if the address is "0x" and the bytes of its only key in hex.
//
// The first text says that it is a Book. The last has an address of each shape
// with its keys, for keys may be others in another version of package address.
type bookWriter struct {
	b       index.Builder
	shapes  map[shape]struct{}
	samples []byte
	keys    []address.Key
}

// bookMagic is the first text of a Book.
const bookMagic = "walletscreen book 1\n"

// A shape is what is alike in addresses that are read alike: the chain, and
// classes and lengths of account and keys.
type shape struct {
	chain address.Chain
	keys  [4]uint32
}

func newBookWriter() *bookWriter {
	w := &bookWriter{shapes: make(map[shape]struct{})}
	w.b.Intern(bookMagic)
	return w
}

// addAll adds all addresses, and what comes last.
func (w *bookWriter) addAll(addresses iter.Seq2[address.Address, error]) error {
	for a, err := range addresses {
		if err != nil {
			return err
		}
		if !a.IsValid() {
			return ErrZeroAddress
		}
		w.add(a)
	}
	w.b.Intern(string(w.samples))
	return nil
}

// add adds an address.
func (w *bookWriter) add(a address.Address) {
	w.keys = appendOwnKeys(w.keys[:0], a)
	s := shape{chain: a.Chain()}
	for i, k := range append(w.keys, a.Account()) {
		_, _, _, _, n := k.Words()
		s.keys[i] = uint32(n)<<16 | uint32(k.Class())
	}
	if _, ok := w.shapes[s]; !ok {
		w.shapes[s] = struct{}{}
		w.samples = appendSample(w.samples, a, w.keys)
	}
	text := a.String()
	if len(w.keys) == 1 {
		if short, ok := own(a.Chain(), indexKey(w.keys[0])); ok && short == a {
			text = string(a.Chain())
		}
	}
	n := w.b.Intern(text)
	for _, k := range w.keys {
		w.b.Add(indexKey(k), n)
	}
}

// appendOwnKeys appends the keys under which a is in a Book.
func appendOwnKeys(dst []address.Key, a address.Address) []address.Key {
	n := len(dst)
	if dst = a.AppendKeys(dst); len(dst) == n {
		dst = append(dst, a.Account())
	}
	return dst
}

// own returns the address on chain c that is "0x" and the bytes of k in hex.
func own(c address.Chain, k index.Key) (address.Address, bool) {
	var buf [32]byte
	digits := hex.AppendEncode([]byte("0x"), k.AppendBytes(buf[:0]))
	a, err := address.Parse(c, string(digits))
	return a, err == nil
}

// readOwn returns the address of which text is the value under k.
func readOwn(text string, k index.Key) (address.Address, error) {
	var a address.Address
	if !strings.Contains(text, ":") {
		a, _ = own(address.Chain(text), k)
	} else if err := a.UnmarshalText([]byte(text)); err != nil {
		return a, err
	}
	var buf [4]address.Key
	for _, is := range appendOwnKeys(buf[:0], a) {
		if indexKey(is) == k {
			return a, nil
		}
	}
	return a, fmt.Errorf("%.80q is not where it belongs", text)
}

// appendSample appends the line of the last text about a, which has these keys.
func appendSample(b []byte, a address.Address, keys []address.Key) []byte {
	b, _ = a.AppendText(b) // never fails
	for _, k := range append(keys, a.Account()) {
		b = fmt.Appendf(b, "\t%x:%x", uint16(k.Class()), k.AppendBytes(nil))
	}
	return append(b, '\n')
}

// check checks all of b.
func (b *Book) check() error {
	if err := b.index.Verify(); err != nil {
		return bookError(err)
	}
	magic, err := b.index.Text(0)
	if err != nil || magic != bookMagic {
		return fmt.Errorf("%w: it is something else", ErrBookDamaged)
	}
	samples, err := b.index.Text(uint32(b.index.Texts() - 1))
	if err != nil {
		return bookError(err)
	}
	for line := range strings.Lines(samples) {
		text, _, _ := strings.Cut(line, "\t")
		var a address.Address
		err := a.UnmarshalText([]byte(text))
		if err != nil || string(appendSample(nil, a, appendOwnKeys(nil, a))) != line {
			return fmt.Errorf("%w: %.100q", ErrBookOutdated, text)
		}
	}
	return nil
}
