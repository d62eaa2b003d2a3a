package screening

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
)

// A Book is a set of the caller's own addresses, of all its customers for
// example, that is asked after a refresh which of them have another verdict now.
// What that costs follows from how much the lists have changed, not from how
// many addresses there are: tens of millions are nothing special.
//
// A Book is never changed; a larger one is made anew. In memory and in a file it
// takes 29 bytes for an address that is nothing but the 20 bytes of a key, or of
// its hash, in hex, Base58 or Bech32, as on EVM chains, bitcoin and most others;
// 41 for one of 32 bytes, as on solana; and of the rest, such as monero, 45 or more
// and the text of the address with its chain. All its methods but Close may be
// called concurrently.
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

// WriteBook is NewBook into a file, which [OpenBook] opens. Until that is written,
// it takes about one and a half times the memory that the file will have, and three
// times where it has the texts of the addresses. path is the old file, or whatever
// was there, until the new one is complete; who has the old one open keeps it.
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
// must not be changed while it is open, which could end the program; it may be
// replaced, as WriteBook does.
//
// All of the file is read once and checked: ten million addresses in half a
// second. The error wraps [ErrBookDamaged] if it is not what WriteBook wrote, and
// [ErrBookOutdated] if it was written by a version of this module that reads
// addresses differently: then it must be made anew. Of a file that is not there it
// wraps [fs.ErrNotExist].
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
// reports, in no particular order, each once. A verdict is the score, the level,
// the labels and what is suppressed, but for the names and dates in these. Both
// verdicts are found in the snapshots before and after that refresh, whatever was
// refreshed since, and however old the lists are.
//
// The refresh that first has all required lists makes answers of no answers: of
// its report, what changed are all addresses that have a label.
//
// After an error there is nothing more. It wraps [ErrNotLoaded] if after that
// refresh a required list was still missing: nothing is lost, the report of the
// refresh that brings it tells all. It wraps [ErrBookDamaged] if the file of b was
// changed, or b is closed. The zero Report, which is of no refresh, is an error too.
func (b *Book) Changed(r Report) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if r.after == nil {
			yield(Change{}, errors.New("screening: the report is of no refresh"))
			return
		}
		if r.after.notLoaded != nil {
			yield(Change{}, r.after.notLoaded)
			return
		}
		seen := make(map[address.Address]struct{})
		for k, err := range r.keys() {
			var found []address.Address
			if err == nil {
				found, err = b.find(k)
			}
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

// A bookWriter makes the index of a Book. Each address is there under all keys of
// an index that are asked in a question about it; the value is the number of a
// text: the address with its chain, or a spelling, if it is nothing but the bytes
// of its only key. So most of the addresses of a chain share one text.
//
// The first text says that it is a Book. The last has an address of each shape
// with its keys, for keys may be others in another version of package address.
type bookWriter struct {
	b       index.Builder
	shapes  map[shape]*spellings
	samples []byte
	keys    []index.Key
}

// spellings are those that were found of a shape, and how many addresses had none.
type spellings struct {
	found []spelling
	none  int
}

// No more spellings of a shape are searched for when so many were found, or when so
// many addresses had none.
const (
	maxSpellings = 8
	maxSearched  = 100
)

// bookMagic is the first text of a Book.
const bookMagic = "walletscreen book 1\n"

// A shape is what is alike in addresses that are read alike: the chain, and the
// classes of account and keys.
type shape struct {
	chain address.Chain
	tag   identity.Tag
	keys  [3]identity.Class
}

func shapeOf(a address.Address) shape {
	s := shape{chain: a.Chain()}
	if _, s.tag = a.Identity(); identity.HasMore(s.tag) {
		var buf [3]address.Key
		for i, k := range a.AppendKeys(buf[:0]) {
			_, tag := k.Identity()
			s.keys[i%len(s.keys)] = identity.Account(tag)
		}
	}
	return s
}

func newBookWriter() *bookWriter {
	w := &bookWriter{shapes: make(map[shape]*spellings)}
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
	w.keys = appendProbes(w.keys[:0], a, false)
	s := shapeOf(a)
	known := w.shapes[s]
	if known == nil {
		known = new(spellings)
		w.shapes[s] = known
		w.samples = appendSample(w.samples, a)
	}
	text := ""
	if len(w.keys) == 1 {
		var buf [32]byte
		text = known.of(a, w.keys[0].AppendBytes(buf[:0]))
	}
	if text == "" {
		text = a.String()
	}
	n := w.b.Intern(text)
	for _, k := range w.keys {
		w.b.Add(k, n)
	}
}

// of returns the text of the spelling of a, made of the payload of its key, or "".
func (s *spellings) of(a address.Address, payload []byte) string {
	text := a.Normalized()
	for _, sp := range s.found {
		if sp.write(payload) == text {
			return sp.text
		}
	}
	if s.none == maxSearched || len(s.found) == maxSpellings {
		return ""
	}
	if sp, ok := spellingOf(a, payload); ok {
		s.found = append(s.found, sp)
		return sp.text
	}
	s.none++
	return ""
}

// readOwn returns the address of which text is the value under k.
func readOwn(text string, k index.Key) (address.Address, error) {
	if !strings.Contains(text, ":") {
		sp, ok := parseSpelling(text)
		if !ok {
			return address.Address{}, fmt.Errorf("%.80q is no spelling", text)
		}
		var buf [32]byte
		text = string(sp.chain) + ":" + sp.write(k.AppendBytes(buf[:0]))
	}
	var a address.Address
	if err := a.UnmarshalText([]byte(text)); err != nil {
		return a, err
	}
	var buf [8]index.Key
	if !slices.Contains(appendProbes(buf[:0], a, false), k) {
		return a, fmt.Errorf("%.80q is not where it belongs", text)
	}
	return a, nil
}

// appendSample appends the line of the last text about a.
func appendSample(b []byte, a address.Address) []byte {
	b, _ = a.AppendText(b) // never fails
	for _, k := range appendProbes(nil, a, false) {
		b = fmt.Appendf(b, "\t%x:%x", k.Class(), k.AppendBytes(nil))
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
		if err != nil || string(appendSample(nil, a)) != line {
			return fmt.Errorf("%w: %.100q", ErrBookOutdated, text)
		}
	}
	return nil
}
