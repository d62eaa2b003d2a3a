package screening

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/sources"
)

// An Exception is an operator's decision that listings of an account do not count. Their
// labels are left out of Score and Labels, and shown in [Result.Suppressed].
//
// It covers every question about that account, in any encoding and on any chain of its
// family, as [address.Address.Canonical] defines them: one for an EVM account holds on
// all EVM chains. What matters is the account that is asked about, not the account that is
// listed: an exception covers labels that the account has because another account of the
// same key is listed, but not labels that another account has because this one is listed.
// A listed string that is not an address cannot be excepted.
type Exception struct {
	// Address is an address of the account, in any encoding and on any chain of its
	// family. It must not be zero.
	Address address.Address
	// Source, if it is not "", limits the exception to labels of the source with this
	// id. Ref, if it is not "", limits it to labels with this reference, and needs a
	// Source.
	Source, Ref string
	// Reason and Author say why, and by whom, it was decided. Neither may be blank.
	Reason, Author string
	// Created is when it was decided. It is shown, and not compared with any clock.
	// Zero if it is not known.
	Created time.Time
	// Expires is the instant at which the exception ends; zero if it does not. An
	// expired exception has no effect.
	Expires time.Time
}

// ErrDuplicateException: there is an exception for the same account, source and
// reference already.
var ErrDuplicateException = errors.New("duplicate of another exception")

const (
	maxExceptionText = 4096     // bytes of each text
	maxExceptionLine = 64 << 10 // bytes of a line that is read
	maxExceptions    = 100_000
)

// exceptionError returns the error about the n-th exception.
func exceptionError(n int, err error) error { return fmt.Errorf("exception %d: %w", n, err) }

// fieldError returns the error about a field, by its name in [ReadExceptions].
func fieldError(field string, err error) error { return fmt.Errorf("%s: %w", field, err) }

// An exceptionSet is all exceptions at one time. It is never changed. A nil set is empty.
type exceptionSet struct {
	all       []Exception
	byAccount map[address.Key][]Exception // the most special first
	digest    string                      // SHA-256 over all, in any order, in hex
	text      string                      // as ReadExceptions reads them
}

// list returns a copy of all exceptions.
func (set *exceptionSet) list() []Exception {
	if set == nil {
		return nil
	}
	return slices.Clone(set.all)
}

// excepted returns set as the journal has it.
func (set *exceptionSet) excepted() *journal.Excepted {
	if set == nil {
		return new(journal.Excepted)
	}
	return &journal.Excepted{Text: set.text, Digest: set.digest}
}

// without returns the exceptions of set that next has, too. Either may be nil.
func (set *exceptionSet) without(next *exceptionSet) *exceptionSet {
	both := slices.DeleteFunc(set.list(), func(e Exception) bool { return !slices.Contains(next.list(), e) })
	kept, err := newExceptionSet(both)
	if err != nil {
		return nil // stricter
	}
	return kept
}

// newExceptionSet returns the set of the given exceptions, nil if there are none.
func newExceptionSet(exceptions []Exception) (*exceptionSet, error) {
	if len(exceptions) == 0 {
		return nil, nil
	}
	if len(exceptions) > maxExceptions {
		return nil, exceptionError(maxExceptions+1, fmt.Errorf("more than %d", maxExceptions))
	}
	set := &exceptionSet{all: make([]Exception, len(exceptions)), byAccount: make(map[address.Key][]Exception)}
	var text strings.Builder
	lines := make([]string, len(exceptions))
	for i, e := range exceptions {
		if err := e.check(); err != nil {
			return nil, exceptionError(i+1, err)
		}
		e.Created, e.Expires = e.Created.UTC().Round(0), e.Expires.UTC().Round(0)
		set.all[i] = e
		account := e.Address.Account()
		of := set.byAccount[account]
		if slices.ContainsFunc(of, func(o Exception) bool { return o.Source == e.Source && o.Ref == e.Ref }) {
			return nil, exceptionError(i+1, ErrDuplicateException)
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

// withAllowed returns the exceptions, and those that own lists bring.
func (s *Screener) withAllowed(exceptions []Exception) ([]Exception, error) {
	all := slices.Clone(exceptions)
	general := make(map[address.Address]bool) // the accounts with an exception for all sources
	for _, e := range exceptions {
		general[e.Address.Canonical()] = general[e.Address.Canonical()] || e.Source == "" && e.Ref == ""
	}
	for i, src := range s.sources {
		allowed, err := sources.AllowedBy(src)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", s.infos[i].ID, err)
		}
		id := s.infos[i].ID
		for _, a := range allowed {
			if account := a.Address.Canonical(); !general[account] {
				general[account] = true
				all = append(all, Exception{Address: a.Address, Expires: a.Expires,
					Reason: cmp.Or(strings.TrimSpace(a.Reason), "allowed by the own list "+id),
					Author: cmp.Or(strings.TrimSpace(a.Author), id)})
			}
		}
	}
	return all, nil
}

// checkAllowed returns an error if src allows accounts and SetExceptions was never called: they
// would be blocked in silence.
func (s *Screener) checkAllowed(src sources.Source) error {
	if s.excepted.Load() || s.opts.LoadOnly {
		return nil
	}
	allowed, err := sources.AllowedBy(src)
	if err == nil && len(allowed) > 0 {
		err = fmt.Errorf("it allows %d accounts, and nothing applies that: call SetExceptions before the list is loaded, with nil if there are no other exceptions", len(allowed))
	}
	return err
}

// check returns an error if e is not valid.
func (e *Exception) check() error {
	if !e.Address.IsValid() {
		return fieldError("address", errZeroAddress)
	}
	if e.Ref != "" && e.Source == "" {
		return fieldError("ref", errors.New("it needs a source"))
	}
	for _, f := range []struct{ name, text string }{{"reason", e.Reason}, {"author", e.Author}, {"source", e.Source}, {"ref", e.Ref}} {
		switch {
		case len(f.text) > maxExceptionText:
			return fieldError(f.name, fmt.Errorf("longer than %d bytes", maxExceptionText))
		case !utf8.ValidString(f.text):
			return fieldError(f.name, errors.New("not UTF-8"))
		case strings.TrimSpace(f.text) == "" && (f.name == "reason" || f.name == "author"):
			return fieldError(f.name, errors.New("it is blank"))
		}
	}
	for _, f := range []struct {
		name string
		time time.Time
	}{{"created_at", e.Created}, {"expires_at", e.Expires}} {
		if year := f.time.UTC().Year(); !f.time.IsZero() && (year < 1 || year > 9999) {
			return fieldError(f.name, fmt.Errorf("in the year %d", year))
		}
	}
	if !e.Expires.IsZero() && !e.Created.IsZero() && !e.Expires.After(e.Created) {
		return fieldError("expires_at", errors.New("not after created_at"))
	}
	return nil
}

// covers reports whether e suppresses a label of its account at the given time.
func (e *Exception) covers(l *Label, now time.Time) bool {
	return (e.Source == "" || e.Source == l.Source) && (e.Ref == "" || e.Ref == l.Ref) &&
		(e.Expires.IsZero() || now.Before(e.Expires))
}

// split returns the labels of an account that count at the given time, and those that
// do not, in their order. It may change labels.
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
		suppressed = append(suppressed, Suppressed{Label: l, Reason: e.Reason, Author: e.Author, Expires: e.Expires})
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
	CreatedAt time.Time     `json:"created_at,omitzero"`
	ExpiresAt time.Time     `json:"expires_at,omitzero"`
}

// line returns e as ReadExceptions reads it.
func (e *Exception) line() string {
	text, err := json.Marshal(exceptionLine{e.Address.Chain(), e.Address.Normalized(), e.Source, e.Ref, e.Reason, e.Author, e.Created.UTC(), e.Expires.UTC()})
	if err != nil {
		panic(err) // the years were checked
	}
	return string(text) + "\n"
}

// ReadExceptions reads exceptions for [Screener.SetExceptions]: one JSON object (RFC 8259)
// with string values on each line that is not blank.
//
//	{"chain": "ethereum", "address": "0x098B…", "reason": "license 2026-17", "author": "J. Doe"}
//	{"chain": "bitcoin", "address": "bc1q…", "source": "COMMUNITY_BADLIST", "ref": "17",
//	 "reason": "…", "author": "…", "created_at": "2026-11-21T04:57:29Z", "expires_at": "2027-01-01T00:00:00Z"}
//
// The second is one line, too. The source, the ref and the times, by RFC 3339, are
// optional; the address is read as [address.Normalize] does.
//
// An unknown or repeated member is an error, and so is a line of more than 64 KiB, or an
// exception that no Screener would accept; SetExceptions finds duplicates. An error names
// the line or comes from r; then no exceptions are returned.
func ReadExceptions(r io.Reader) ([]Exception, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxExceptionLine)
	var all []Exception
	n := 1
	for ; lines.Scan(); n++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(text) == 0 {
			continue
		}
		e, err := parseException(text)
		if err == nil {
			err = e.check()
		} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errObject
		}
		if err == nil && len(all) == maxExceptions {
			err = fmt.Errorf("more than %d", maxExceptions)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, e)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: longer than %d bytes", n, maxExceptionLine)
	} else if err != nil {
		return nil, err
	}
	return all, nil
}

var errObject = errors.New("want a whole JSON object in UTF-8 on each line")

// parseException parses a line.
func parseException(text []byte) (e Exception, err error) {
	var chain, spelling, created, expires string
	members := map[string]*string{
		"chain": &chain, "address": &spelling, "source": &e.Source, "ref": &e.Ref, "reason": &e.Reason, "author": &e.Author,
		"created_at": &created, "expires_at": &expires,
	}
	given, err := parseStrings(text, members)
	if err != nil {
		return e, err
	}
	c, err := address.ParseChain(chain)
	if err != nil {
		return e, fieldError("chain", err)
	}
	if e.Address, err = address.Normalize(c, spelling); err != nil {
		return e, fieldError("address", err)
	}
	for name, t := range map[string]*time.Time{"created_at": &e.Created, "expires_at": &e.Expires} {
		if !given[name] {
			continue
		}
		if *t, err = time.Parse(time.RFC3339, *members[name]); err != nil {
			return e, fieldError(name, errors.New("want a time of RFC 3339, such as 2027-01-01T00:00:00Z"))
		}
		if *t = t.UTC(); t.IsZero() { // which would mean none
			return e, fieldError(name, errors.New("the zero time; leave it out for none"))
		}
	}
	return e, nil
}

// parseStrings sets members to the members of a JSON object, which are all strings, and returns the names of those that it has.
func parseStrings(text []byte, members map[string]*string) (given map[string]bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') || !utf8.Valid(text) {
		return nil, errObject
	}
	given = make(map[string]bool)
	for dec.More() {
		token, err := dec.Token()
		value, err2 := dec.Token()
		if err = cmp.Or(err, err2); err != nil {
			return nil, err
		}
		name := token.(string)
		is, isString := value.(string)
		switch to := members[name]; {
		case to == nil:
			return nil, fmt.Errorf("unknown member %.80q: want %s", name, strings.Join(slices.Sorted(maps.Keys(members)), ", "))
		case !isString:
			return nil, fmt.Errorf("the value of %q is not a string", name)
		case given[name]:
			return nil, fmt.Errorf("%q is given twice", name)
		default:
			*to, given[name] = is, true
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is more after the object")
	}
	return given, nil
}
