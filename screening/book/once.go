package book

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/screening"
)

// ChangedOnce is [Book.Changed] for a program that is restarted: it yields the addresses of b
// whose verdict differs from the verdict that was yielded last, by any program, as the named
// file has it. So each change is yielded once, over restarts and over refreshes that were
// missed. At first, that is each address with a label. Before may be the zero Result, and may be
// of another time than the verdict that was yielded last.
//
// A verdict is in the file once the loop has gone on to the next Change, or has come to its end.
// If the loop is left early, if an error is yielded or if the program is killed, a Change may be
// yielded again, or yielded although the verdict is again as it was. While all of an optional list
// is not loaded, its labels count as they were, with those that it adds. If another change of an address that
// has such labels is yielded then, its Result lacks them: it is yielded once more when the list is loaded.
//
// The file is created if it does not exist, and its text is private: addresses and what lists
// say of them. Calls for one file must not overlap. The errors come from Changed and from the
// file, which must not be of another kind.
func (b *Book) ChangedOnce(file string, r screening.Report) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		v, err := openVerdicts(file)
		if err == nil {
			err = b.changedOnce(v, r, func(c Change) bool { return yield(c, nil) })
			err = errors.Join(err, v.file.Sync(), v.file.Close())
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Change{}, err)
		}
	}
}

// errStopped ends an iteration whose caller wants no more.
var errStopped = errors.New("stopped")

func (b *Book) changedOnce(v *verdicts, r screening.Report, yield func(Change) bool) error {
	for _, a := range b.addresses {
		before, after, err := r.Compare(a)
		if err != nil {
			return err
		}
		now, kept := verdictOf(&after), keptOf(&after, v.of[a])
		if joined(now, kept) == v.of[a] {
			continue
		}
		// After lacks what was kept, so the list that is loaded again is another change.
		is := joined(now, strings.ReplaceAll(strings.ReplaceAll(kept, ":"+unknown, ":"), ":", ":"+unknown))
		// The caller may know of the change even if it is the last thing that happens.
		if err := v.set(a, joined(unknown, v.of[a], is)); err != nil {
			return err
		}
		if !yield(Change{a, before, after}) {
			return errStopped
		}
		if err := v.set(a, is); err != nil {
			return err
		}
	}
	return nil
}

// verdictOf returns what the lists say of an account, as text that can be compared: a word for
// each label, with the id of its source.
func verdictOf(r *screening.Result) string {
	var words []string
	add := func(l screening.Label, suppressed bool) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %q %q %t", l.Kind, l.Match, l.Points, l.Ref, l.Listed, suppressed))
		words = append(words, fmt.Sprintf("%s:%x", l.Source, sum[:8]))
	}
	for _, l := range r.Labels {
		add(l, false)
	}
	for _, s := range r.Suppressed {
		add(s.Label, true)
	}
	return joined(words...)
}

// keptOf returns the words of the verdict before that count still: the words of sources that are not wholly loaded.
func keptOf(r *screening.Result, was string) string {
	var words []string
	for word := range strings.FieldsSeq(was) { // unknown is one of no source
		id, _, _ := strings.Cut(word, ":")
		if slices.ContainsFunc(r.Sources(), func(st screening.SourceStatus) bool { return st.Info.ID == id && !st.Loaded() }) {
			words = append(words, word)
		}
	}
	return joined(words...)
}

// joined returns the words in texts, each once.
func joined(texts ...string) string {
	words := strings.Fields(strings.Join(texts, " "))
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// verdicts are the verdicts that were yielded, in a file. Its lines are an address, a tab, and
// the verdict; of an address, the last one counts.
type verdicts struct {
	of   map[address.Address]string // without those that are ""
	file *os.File
}

const (
	verdictsHeader = "walletscreen verdicts 1\n"
	unknown        = "?" // among the words of two verdicts: the second may have been yielded
)

// openVerdicts opens a file of verdicts, and writes it again without lines that do not count.
func openVerdicts(name string) (*verdicts, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte(verdictsHeader), nil
	}
	if err != nil {
		return nil, fmt.Errorf("book: %w", err)
	}
	lines, isOurs := bytes.CutPrefix(text, []byte(verdictsHeader))
	if !isOurs {
		return nil, fmt.Errorf("book: %s is another file: want the first line %q", name, verdictsHeader)
	}
	v := &verdicts{of: make(map[address.Address]string)}
	for line := range bytes.Lines(lines) {
		of, verdict, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
		var a address.Address
		if !ok || line[len(line)-1] != '\n' || a.UnmarshalText(of) != nil {
			continue // it was being written when the program was killed
		}
		if v.of[a] = string(verdict); len(verdict) == 0 {
			delete(v.of, a)
		}
	}
	err = atomicfile.Write(name, 0o600, func(f *os.File) error {
		text := []byte(verdictsHeader)
		for a, verdict := range v.of {
			text = fmt.Appendf(text, "%s\t%s\n", a, verdict)
		}
		_, err := f.Write(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.file, err = os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	return v, err
}

// set notes that a verdict was yielded.
func (v *verdicts) set(a address.Address, verdict string) error {
	if v.of[a] = verdict; verdict == "" {
		delete(v.of, a)
	}
	if _, err := fmt.Fprintf(v.file, "%s\t%s\n", a, verdict); err != nil {
		return fmt.Errorf("book: %w", err)
	}
	return nil
}
