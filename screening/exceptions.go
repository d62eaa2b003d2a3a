package screening

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// An Exception is an operator's decision that what lists say of an account is not
// to count. What they say is taken out of Score and Labels, and shown in
// [Result.Suppressed].
//
// It covers every question about that account, in whatever encoding and on
// whatever chain of its family, as [address.Address.Canonical] tells: one for an
// EVM account holds on all EVM chains. It is the account that is asked about, not
// the one that is listed: what is found of it because another account of the same
// key is listed is covered, and what is found of another because this one is
// listed is not. A listed string that is no address cannot be excepted.
type Exception struct {
	// Address is of the account, in any encoding and on any chain of its family. It
	// must not be zero.
	Address address.Address
	// Source, if it is not "", covers what the source of that id lists only; Ref, if
	// it is not "", of that only what has this reference, and needs a Source.
	Source, Ref string
	// Reason and Author say why, and who has decided that. Neither may be blank.
	Reason, Author string
	// Created is when that was decided. It is shown, and not compared with any
	// clock. Zero if it is not known.
	Created time.Time
	// Expires is the instant at which the exception ends. Zero means that it does
	// not. One that has ended does nothing, and may stay where it is.
	Expires time.Time
}

// Suppressed is a label that does not count, because of an [Exception].
type Suppressed struct {
	Label
	// Reason, Author, Created and Expires are those of the exception; the times are
	// in UTC.
	Reason, Author   string
	Created, Expires time.Time
}

// An ExceptionError says which exception cannot be taken, and why.
type ExceptionError struct {
	// N is which one, counted from 1: of those that were given to SetExceptions, or
	// the line that ReadExceptions has read, where lines that are blank count, too.
	N int
	// Field is what is wrong with it, by its name in [ReadExceptions]; "" if it is
	// the whole.
	Field string
	// Err is what is wrong.
	Err error
}

// Error names the exception and the field, and says what Err does.
func (e *ExceptionError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("exception %d: %v", e.N, e.Err)
	}
	return fmt.Sprintf("exception %d: %s: %v", e.N, e.Field, e.Err)
}

// Unwrap returns e.Err.
func (e *ExceptionError) Unwrap() error { return e.Err }

var (
	// ErrDuplicateException: there is an exception for the same account, source and
	// reference already.
	ErrDuplicateException = errors.New("duplicate of another exception")

	errBlank = errors.New("it is blank")
)

const (
	// maxExceptionText bounds each text of an exception, in bytes.
	maxExceptionText = 4096
	// maxExceptionLine bounds a line that is read, in bytes.
	maxExceptionLine = 64 << 10
	// maxExceptions bounds how many there are.
	maxExceptions = 100_000
)

// SetExceptions replaces all exceptions by the given ones, from the next question
// on: an answer comes from all of the former or all of the new ones. None are kept
// over a restart: a program that has some sets them before it opens its lists. It
// may be called at any time.
//
// The digest of the results covers them: it is that of the lists alone if there
// are none, and else another for other exceptions, in whatever order they are.
// They are kept, all of them, in Options.Store with each snapshot, for [OpenAt] and
// [OpenDigest]; if the store fails, that shows in [Screener.Sources]. Options.Report
// is told of them by a [Report] of no sources; not of one that ends by itself, for
// nothing is done then.
//
// The error is an [*ExceptionError], and then nothing has changed. It wraps
// [ErrZeroAddress] or [ErrDuplicateException], or says that a source is not there,
// a Ref is without its Source, Reason or Author are blank, a text is longer than
// 4096 bytes or not UTF-8, a time is not in the years 1 to 9999, an exception does not
// expire after it was created, or there are more than 100,000.
func (s *Screener) SetExceptions(ctx context.Context, exceptions []Exception) error {
	for i, e := range exceptions {
		if e.Source != "" && !slices.ContainsFunc(s.infos, func(info sources.Info) bool { return info.ID == e.Source }) {
			return &ExceptionError{N: i + 1, Field: "source", Err: fmt.Errorf("there is no source %.80q: want one of %s", e.Source, strings.Join(s.ids(), ", "))}
		}
	}
	set, err := newExceptionSet(exceptions)
	if err != nil {
		return err
	}
	s.except(set)
	s.record(ctx)
	s.mu.Lock()
	s.swap() // with what became of that
	s.mu.Unlock()
	s.log.InfoContext(ctx, "exceptions set", "exceptions", len(exceptions))
	return nil
}

// ids returns the ids of the sources.
func (s *Screener) ids() []string {
	var ids []string
	for _, info := range s.infos {
		ids = append(ids, info.ID)
	}
	return ids
}

// except answers with these exceptions from now on, and tells of it.
func (s *Screener) except(set *exceptionSet) {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.mu.Lock()
	s.exceptions = set
	before, after := s.swap()
	s.mu.Unlock()
	s.tell(nil, before, after)
}

// Exceptions returns the exceptions that were set, expired ones included, with their
// times in UTC. The slice is the caller's own.
func (s *Screener) Exceptions() []Exception {
	if set := s.snap.Load().exceptions; set != nil {
		return slices.Clone(set.all)
	}
	return nil
}

// An exceptionSet is all exceptions at one time. It is never changed.
type exceptionSet struct {
	all       []Exception
	byAccount map[address.Key][]Exception // the most special first
	digest    string                      // SHA-256 over all, in any order, in hex
	text      string                      // as ReadExceptions reads them
}

// newExceptionSet returns the set of the given exceptions, nil if there are none.
func newExceptionSet(exceptions []Exception) (*exceptionSet, error) {
	if len(exceptions) == 0 {
		return nil, nil
	}
	if len(exceptions) > maxExceptions {
		return nil, &ExceptionError{N: maxExceptions + 1, Err: fmt.Errorf("more than %d", maxExceptions)}
	}
	set := &exceptionSet{all: make([]Exception, len(exceptions)), byAccount: make(map[address.Key][]Exception)}
	var text strings.Builder
	lines := make([]string, len(exceptions))
	for i, e := range exceptions {
		if err := e.check(i + 1); err != nil {
			return nil, err
		}
		e.Created, e.Expires = e.Created.UTC().Round(0), e.Expires.UTC().Round(0)
		set.all[i] = e
		account := e.Address.Account()
		of := set.byAccount[account]
		if slices.ContainsFunc(of, func(o Exception) bool { return o.Source == e.Source && o.Ref == e.Ref }) {
			return nil, &ExceptionError{N: i + 1, Err: ErrDuplicateException}
		}
		set.byAccount[account] = append(of, e)
		text.WriteString(e.line())
		e.Address = e.Address.Canonical()
		lines[i] = e.line()
	}
	for _, of := range set.byAccount {
		slices.SortFunc(of, func(a, b Exception) int {
			return cmp.Or(cmp.Compare(b.Source, a.Source), cmp.Compare(b.Ref, a.Ref)) // "" is last
		})
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	set.digest, set.text = hex.EncodeToString(sum[:]), text.String()
	return set, nil
}

// check returns what is wrong with e, the n-th.
func (e *Exception) check(n int) error {
	if !e.Address.IsValid() {
		return &ExceptionError{N: n, Field: "address", Err: ErrZeroAddress}
	}
	if e.Ref != "" && e.Source == "" {
		return &ExceptionError{N: n, Field: "ref", Err: errors.New("a reference of which source?")}
	}
	for _, f := range []struct{ name, text string }{{"reason", e.Reason}, {"author", e.Author}, {"source", e.Source}, {"ref", e.Ref}} {
		switch {
		case len(f.text) > maxExceptionText:
			return &ExceptionError{N: n, Field: f.name, Err: fmt.Errorf("longer than %d bytes", maxExceptionText)}
		case !utf8.ValidString(f.text):
			return &ExceptionError{N: n, Field: f.name, Err: errors.New("not UTF-8")}
		case strings.TrimSpace(f.text) == "" && (f.name == "reason" || f.name == "author"):
			return &ExceptionError{N: n, Field: f.name, Err: errBlank}
		}
	}
	for _, f := range []struct {
		name string
		time time.Time
	}{{"created_at", e.Created}, {"expires_at", e.Expires}} {
		if year := f.time.UTC().Year(); !f.time.IsZero() && (year < 1 || year > 9999) {
			return &ExceptionError{N: n, Field: f.name, Err: fmt.Errorf("in the year %d", year)}
		}
	}
	if !e.Expires.IsZero() && !e.Created.IsZero() && !e.Expires.After(e.Created) {
		return &ExceptionError{N: n, Field: "expires_at", Err: errors.New("not after created_at")}
	}
	return nil
}

// differ returns addresses of all accounts of which one set has other exceptions
// than another. Either may be nil.
func (set *exceptionSet) differ(other *exceptionSet) []address.Address {
	if set == other {
		return nil
	}
	var accounts []address.Address
	for _, sets := range [][2]*exceptionSet{{set, other}, {other, set}} {
		a, b := cmp.Or(sets[0], new(exceptionSet)), cmp.Or(sets[1], new(exceptionSet))
		for account, of := range a.byAccount {
			if !slices.Equal(of, b.byAccount[account]) {
				accounts = append(accounts, of[0].Address)
			}
		}
	}
	return accounts
}

// covers reports whether e is for a label about its account at the given time.
func (e *Exception) covers(l *Label, now time.Time) bool {
	return (e.Source == "" || e.Source == l.Source) && (e.Ref == "" || e.Ref == l.Ref) &&
		(e.Expires.IsZero() || now.Before(e.Expires))
}

// split returns which of the labels of an account count at the given time, and
// which do not, in their order. It may change labels.
func (set *exceptionSet) split(account address.Key, labels []Label, now time.Time) ([]Label, []Suppressed) {
	of := set.byAccount[account]
	if of == nil {
		return labels, nil
	}
	var suppressed []Suppressed
	labels = slices.DeleteFunc(labels, func(l Label) bool {
		i := slices.IndexFunc(of, func(e Exception) bool { return e.covers(&l, now) })
		if i < 0 {
			return false
		}
		e := &of[i]
		suppressed = append(suppressed, Suppressed{Label: l, Reason: e.Reason, Author: e.Author, Created: e.Created, Expires: e.Expires})
		return true
	})
	if len(labels) == 0 {
		labels = nil
	}
	return labels, suppressed
}

// An exceptionLine is an Exception in JSON.
type exceptionLine struct {
	Chain     address.Chain `json:"chain"`
	Address   string        `json:"address"`
	Source    string        `json:"source,omitempty"`
	Ref       string        `json:"ref,omitempty"`
	Reason    string        `json:"reason"`
	Author    string        `json:"author"`
	CreatedAt string        `json:"created_at,omitempty"`
	ExpiresAt string        `json:"expires_at,omitempty"`
}

// line returns e as ReadExceptions reads it.
func (e *Exception) line() string {
	line := exceptionLine{
		Chain: e.Address.Chain(), Address: e.Address.Normalized(), Source: e.Source, Ref: e.Ref, Reason: e.Reason, Author: e.Author,
	}
	if !e.Created.IsZero() {
		line.CreatedAt = e.Created.UTC().Format(time.RFC3339Nano)
	}
	if !e.Expires.IsZero() {
		line.ExpiresAt = e.Expires.UTC().Format(time.RFC3339Nano)
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // it is strings
	}
	return string(text) + "\n"
}

// ReadExceptions reads exceptions for [Screener.SetExceptions]: lines, each of which
// is a JSON object (RFC 8259) whose values are strings, or blank.
//
//	{"chain": "ethereum", "address": "0x098B…", "reason": "licence 2026-17", "author": "J. Doe"}
//	{"chain": "bitcoin", "address": "bc1q…", "source": "COMMUNITY_BADLIST", "ref": "17",
//	 "reason": "…", "author": "…", "created_at": "2026-11-21T04:57:29Z", "expires_at": "2027-01-01T00:00:00Z"}
//
// The second is one line, too. Source, ref and the times, by RFC 3339, may be left
// out; the address is read as [address.Normalize] does.
//
// It is strict: a member that is unknown, or there twice, is an error, and so is a
// line of more than 64 KiB, or an exception that SetExceptions would not take of any
// Screener; but that finds which are duplicates. The error is an [*ExceptionError]
// that names the line, or that of r; then no exceptions are returned.
func ReadExceptions(r io.Reader) ([]Exception, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxExceptionLine)
	var all []Exception
	n := 0
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if len(all) == maxExceptions {
			return nil, &ExceptionError{N: n, Err: fmt.Errorf("more than %d", maxExceptions)}
		}
		e, err := parseException(text, n)
		if err == nil {
			err = e.check(n)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, &ExceptionError{N: n + 1, Err: fmt.Errorf("line longer than %d bytes", maxExceptionLine)}
	} else if err != nil {
		return nil, err
	}
	return all, nil
}

// parseException parses line n.
func parseException(text []byte, n int) (Exception, error) {
	members, err := parseStrings(text)
	if err != nil {
		return Exception{}, &ExceptionError{N: n, Err: err}
	}
	e := Exception{Source: members["source"], Ref: members["ref"], Reason: members["reason"], Author: members["author"]}
	known := []string{"chain", "address", "source", "ref", "reason", "author", "created_at", "expires_at"}
	for name := range members {
		if !slices.Contains(known, name) {
			return Exception{}, &ExceptionError{N: n, Err: fmt.Errorf("unknown member %.80q: want %s", name, strings.Join(known, ", "))}
		}
	}
	chain, err := address.ParseChain(members["chain"])
	if err != nil {
		return Exception{}, &ExceptionError{N: n, Field: "chain", Err: err}
	}
	if e.Address, err = address.Normalize(chain, members["address"]); err != nil {
		return Exception{}, &ExceptionError{N: n, Field: "address", Err: err}
	}
	for name, t := range map[string]*time.Time{"created_at": &e.Created, "expires_at": &e.Expires} {
		if text, ok := members[name]; ok {
			if *t, err = time.Parse(time.RFC3339, text); err != nil {
				return Exception{}, &ExceptionError{N: n, Field: name, Err: errors.New("want a time of RFC 3339, as 2027-01-01T00:00:00Z")}
			}
			if *t = t.UTC(); t.IsZero() { // which would mean none
				return Exception{}, &ExceptionError{N: n, Field: name, Err: errors.New("in the year 1")}
			}
		}
	}
	return e, nil
}

// parseStrings parses a JSON object whose members are all strings.
func parseStrings(text []byte) (map[string]string, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	members := make(map[string]string)
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		value, err := dec.Token()
		if err != nil {
			return nil, err
		}
		s, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("the value of %.80q is not a string", name)
		}
		if _, twice := members[name.(string)]; twice {
			return nil, fmt.Errorf("%.80q is there twice", name)
		}
		members[name.(string)] = s
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is more after the object")
	}
	return members, nil
}
