package receipt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/wire"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The outcomes of [Verify].
const (
	// Same: the lists of that time give what the receipt says.
	Same = "same"
	// Authentic: a known key has signed the receipt, and the files are its table, if they are
	// given. Without lists, the verdicts were not computed again.
	Authentic = "authentic"
	// Different: they do not, or a signature or the sum does not match the receipt.
	Different = "different"
	// CannotTell: the lists of that time are not kept, for example, or the store does not say
	// that they were in use at the time of the receipt.
	CannotTell = "cannot tell"
)

// Options say with what [Verify] verifies. Each field may be zero, and so may the *Options. One Options is for one goroutine. The lines
// of an audit trail need the same one, in their order: only the first line with a snapshot has its lists.
type Options struct {
	// Keys are the known keys. If there are any, one of them must have signed the receipt: the
	// Outcome of another one is CannotTell at best. Without them Verify checks no signature: the
	// receipt may have been written later, but Same still means that the lists of that time
	// give this verdict.
	Keys []note.Verifier
	// Store has the lists, and says when they were in use.
	Store store.Store
	// Copy returns a store with lists, for those that Store does not have. It does not say when
	// they were in use: without a signature, the Outcome is CannotTell.
	Copy func(context.Context) (store.Store, error)
	// Table screens the table of a receipt again, and returns what the receipt must have: Input
	// and Output are empty for files that are not given, and with a nil Past, without lists, they
	// are all. An error says why it cannot: the Outcome is CannotTell.
	Table func(*Receipt, *screening.Past) (*Table, error)

	last *Receipt // with lists
}

// A Verdict is the result of [Verify].
type Verdict struct {
	// Receipt is the receipt as it was read, which is evidence only if Outcome is Same or Authentic.
	Receipt *Receipt
	// Outcome is Same, Authentic, Different or CannotTell, and Reason says why it is not Same.
	Outcome string
	Reason  error
	// Signer is the name of the key whose signature holds. If it is "", Unsigned says
	// why: the receipt is not signed, or not by a key of the caller's, or the signature
	// is wrong.
	Signer   string
	Unsigned error
}

var (
	errInput   = errors.New("the table that was screened is not the file of the receipt: it was changed, or it is another one")
	errOutput  = errors.New("the table with verdicts is not the file of the receipt: it was changed, or it is another one")
	errNoLists = errors.New("verdicts not computed again, without the lists")
	errUndated = errors.New("the lists of the receipt give its verdict, but nothing says that they were in use at its time: neither a store nor a signature")
)

// Verify reads a receipt that [Receipt.Encode] has written, and screens its text, or its table, again
// with the lists and the scoring version of that time.
//
// Whether a list was stale or old depends on the settings of that program, so Verify does not
// compute these caveats again: only a signature vouches for them.
//
// The error is about data that is not a receipt, or that holds a private key or seed, or that an earlier version of
// this module has written.
func Verify(ctx context.Context, data []byte, opts *Options) (Verdict, error) {
	if opts == nil {
		opts = &Options{}
	}
	var v Verdict
	text, err := v.open(data, opts.Keys)
	if err == nil {
		v.Receipt, err = parse(text)
	}
	changed := errors.Is(err, evidence.ErrChanged)
	if err == nil || changed {
		if err = address.Interpret(string(v.Receipt.Chain), v.Receipt.Text).Err; !errors.Is(err, address.ErrSecret) {
			err = nil
		}
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("receipt: %w", err)
	}
	r := v.Receipt
	if len(r.Lists) > 0 && !changed {
		opts.last = r
	} else if len(r.Lists) == 0 && opts.last != nil && opts.last.Snapshot == r.Snapshot {
		r.Lists = opts.last.Lists
	}
	switch invalid := (*note.InvalidSignatureError)(nil); {
	case errors.As(v.Unsigned, &invalid):
		v.Outcome, v.Reason = Different, v.Unsigned
	case strings.HasPrefix(r.Address, "hmac:"):
		v.Outcome, v.Reason = CannotTell, errors.New("the address is hashed with the key of an audit trail: audit verify verifies its lines")
	case changed:
		v.Outcome, v.Reason = Different, evidence.ErrChanged
	default:
		if v.Outcome, v.Reason = r.replay(ctx, opts, v.Signer != ""); v.Outcome == Same && len(opts.Keys) > 0 && v.Signer == "" {
			v.Outcome, v.Reason = CannotTell, v.Unsigned
		}
	}
	return v, nil
}

// open returns the text of a receipt, and sets the fields about its signatures.
func (v *Verdict) open(data []byte, known []note.Verifier) ([]byte, error) {
	if most := evidence.MaxLine + 64<<10; len(data) > most {
		return nil, fmt.Errorf("larger than %d bytes", most)
	}
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		return nil, errors.New("not a receipt, or cut short: want a whole line of JSON")
	}
	text := data[:end+1]
	if len(text) == len(data) {
		v.Unsigned = errors.New("not signed")
		return text, nil
	}
	malformed := errors.New("after its first line, a receipt has a blank line and signatures, or nothing")
	if bytes.LastIndex(data, []byte("\n\n")) != end {
		return nil, malformed
	}
	n, err := note.Open(data, note.VerifierList(known...))
	if err == nil && !inForm(n, data) {
		return nil, malformed
	}
	unknown, invalid := (*note.UnverifiedNoteError)(nil), (*note.InvalidSignatureError)(nil)
	switch {
	case err == nil:
		v.Signer = n.Sigs[0].Name
	case errors.As(err, &unknown):
		v.Unsigned = fmt.Errorf("signed with the key %q, which is not a known one", unknown.Note.UnverifiedSigs[0].Name)
	case errors.As(err, &invalid):
		v.Unsigned = fmt.Errorf("the signature is not that of the receipt, which was changed: %w", err)
	default:
		return nil, malformed
	}
	return text, nil
}

// inForm reports whether the signatures stand in data as they are written: base64 leaves
// some bits of the last character unused, and skips line breaks.
func inForm(n *note.Note, data []byte) bool {
	form := n.Text + "\n"
	for _, s := range append(slices.Clone(n.Sigs), n.UnverifiedSigs...) {
		raw, err := base64.StdEncoding.DecodeString(s.Base64)
		if err != nil || base64.StdEncoding.EncodeToString(raw) != s.Base64 {
			return false
		}
		form += "— " + s.Name + " " + s.Base64 + "\n"
	}
	return len(form) == len(data) // the order of the signatures is free
}

// replay compares r with what the lists of its time give.
func (r *Receipt) replay(ctx context.Context, opts *Options, isSigned bool) (outcome string, reason error) {
	past, undated, unopened := r.openPast(ctx, opts)
	var table *Table
	if r.Table != nil {
		err := errors.New("the receipt is that of a table, which is not given")
		if opts.Table != nil {
			table, err = opts.Table(r, past)
		}
		switch {
		case err != nil:
			return CannotTell, err
		case cmp.Or(table.Input, r.Table.Input) != r.Table.Input:
			return Different, errInput
		case cmp.Or(table.Output, r.Table.Output) != r.Table.Output:
			return Different, errOutput
		}
	}
	switch {
	case unopened == errNoLists && isSigned:
		return Authentic, unopened
	case unopened != nil:
		return CannotTell, unopened
	}
	err := r.compare(past, table)
	if undated == nil && err == nil {
		err = r.compareLists(past.Sources())
	}
	expires := func(e screening.Exception) bool { return !e.Expires.IsZero() }
	switch {
	case err == errNoText, err != nil && ctx.Err() != nil:
		return CannotTell, err
	case err != nil && undated != nil && slices.ContainsFunc(past.Exceptions(), expires):
		return CannotTell, undated // the exceptions may have expired between the two times
	case err != nil:
		return Different, err
	case undated != nil && (undated != errUndated || !isSigned):
		return CannotTell, undated
	}
	return Same, nil
}

// anyAddress is screened for the digest of the lists.
var anyAddress = address.MustParse("ethereum", "0x0000000000000000000000000000000000000001")

// slack is the time for which a program may use lists that another has replaced. The journal may
// also say a moment later than the answer that a list was in use.
const slack = 10 * time.Second

// openPast opens the lists of r. undated is nil if they are as of that time; otherwise they
// are as of another time with the same digest, and undated says why.
func (r *Receipt) openPast(ctx context.Context, opts *Options) (past *screening.Past, undated, err error) {
	table, ok := score.Lookup(r.ScoringVersion)
	switch {
	case opts.Store == nil && opts.Copy == nil:
		return nil, nil, errNoLists
	case !ok:
		return nil, nil, fmt.Errorf("this program does not have the scoring version %.40q", r.ScoringVersion)
	case len(r.Lists) == 0:
		return nil, nil, errors.New("the line names its lists by their digest alone: give it with the first line of its file that has this snapshot")
	}
	srcs, settings := make([]sources.Source, 0, len(r.Lists)), &screening.Options{Table: table}
	for i := range r.Lists {
		l := &r.Lists[i]
		srcs = append(srcs, sources.Static(sources.Info{ID: l.Source, Name: l.Name, Jurisdiction: l.Jurisdiction}))
		if !l.Required {
			settings.Optional = append(settings.Optional, l.Source)
		}
	}
	if st := opts.Store; st != nil {
		asOf := cmp.Or(r.AsOf, r.Time)
		for _, at := range []time.Time{asOf, asOf.Add(time.Second), asOf.Add(-slack)} {
			past, err := screening.OpenAt(ctx, st, at, srcs, settings)
			if err == nil {
				var got screening.Result
				if got, err = past.Screen(anyAddress); err == nil && got.Digest() == r.Snapshot {
					return past, nil, nil
				}
			}
			if undated == nil && err != nil {
				undated = fmt.Errorf("the store does not say what was answered from at the time of the receipt: %w", err)
			}
		}
		if undated == nil {
			undated = errors.New("the lists of the receipt give its verdict, but the store says that others were in use at its time")
		}
		if past, err = screening.OpenDigest(ctx, st, r.Snapshot, srcs, settings); err == nil {
			return past, undated, nil
		}
		err = fmt.Errorf("%w; %w", err, undated)
	}
	if opts.Copy != nil {
		switch past, failed := r.openCopy(ctx, opts, srcs, settings); {
		case failed == nil:
			return past, errUndated, nil
		case !errors.Is(failed, store.ErrNotFound):
			err = failed
		}
	}
	return nil, nil, cmp.Or(err, errNoLists)
}

// openCopy opens the lists of r in the copy of the lists.
func (r *Receipt) openCopy(ctx context.Context, opts *Options, srcs []sources.Source, settings *screening.Options) (*screening.Past, error) {
	copied, err := opts.Copy(ctx)
	if err != nil {
		return nil, err
	}
	past, err := screening.OpenDigest(ctx, copied, r.Snapshot, srcs, settings)
	if err != nil {
		return nil, err
	}
	got, err := past.Screen(anyAddress)
	if err == nil && got.Digest() != r.Snapshot {
		err = errors.New("the copy of the lists has other exceptions than it says")
	}
	return past, err
}

// errNoText reports a line of an audit trail with doubts, which only the text can give.
var errNoText = errors.New("the line does not have the text that was in doubt")

// compare returns an error that names the first member of r that past, or the table that was screened again, does not give.
func (r *Receipt) compare(past *screening.Past, table *Table) error {
	if r.Table != nil {
		now := *table
		now.Input, now.Output, now.Settings = r.Table.Input, r.Table.Output, r.Table.Settings
		return compareMembers(r.Table, &now)
	}
	got, err := past.ScreenText(r.Chain, cmp.Or(r.Text, r.Address))
	if r.Chain == "" { // a list has the text itself
		got, _, err = past.ScreenInput("", r.Address)
	}
	normal := normalOf(got.Address, cmp.Or(r.Text, r.Address))
	switch {
	case err != nil:
		return fmt.Errorf("the lists of that time give no verdict: %w", err)
	case normal != r.Address:
		return fmt.Errorf("the receipt has another normal form of the address than %q", normal)
	case r.Text == "" && len(r.Doubts) > 0:
		return errNoText
	}
	if err = r.compareAnswer(&got); err != nil {
		if own := got.WithoutOwn(); r.compareAnswer(&own) == nil { // the caller was not shown what the operator has written
			return nil
		}
	}
	return err
}

func (r *Receipt) compareAnswer(got *screening.Result) error {
	then, now := *r.Answer, got.Answer()
	if len(now.Formerly) == 0 {
		now.Formerly = then.Formerly // the store may keep less of what was before
	}
	now.AllClear = then.Score == 0 && len(then.Labels)+len(then.Doubts)+len(then.Caveats) == 0
	then.Caveats, now.Caveats = unloaded(then.Caveats), unloaded(now.Caveats)
	return compareMembers(&then, &now)
}

// compareMembers returns an error that names the first member that differs.
func compareMembers[T any](then, now *T) error {
	was, is := reflect.ValueOf(then).Elem(), reflect.ValueOf(now).Elem()
	for i := range was.NumField() {
		a, _ := wire.JSON(was.Field(i).Interface())
		b, err := wire.JSON(is.Field(i).Interface())
		if isEmpty := was.Field(i).Kind() == reflect.Slice && was.Field(i).Len()+is.Field(i).Len() == 0; err != nil || !isEmpty && !bytes.Equal(a, b) {
			name, _, _ := strings.Cut(was.Type().Field(i).Tag.Get("json"), ",")
			return fmt.Errorf("the receipt has another member %s than the lists of that time give: %.200s", name, b)
		}
	}
	return nil
}

// unloaded returns the caveats about lists that are not held, or in part.
func unloaded(all []screening.Caveat) []screening.Caveat {
	return slices.DeleteFunc(slices.Clone(all), func(c screening.Caveat) bool {
		return c.Kind != screening.CaveatMissing && c.Kind != screening.CaveatPartial
	})
}

// compareLists returns an error that names the first difference between the lists of r and the
// lists of the store at that time. A store keeps the time of a check to within a minute. A list of the
// operator's own is checked whenever it is read, also by programs that do not write to the store.
func (r *Receipt) compareLists(got []screening.SourceStatus) error {
	for i := range r.Lists {
		then, now := r.Lists[i], listOf(&got[i]) // both in the order of the sources of the Past
		lag, most := then.LastUpdated.Sub(now.LastUpdated), time.Minute+slack
		if then.Jurisdiction == sources.Operator {
			most = max(most, cmp.Or(r.AsOf, r.Time).Sub(now.LastUpdated))
		}
		if then.LastUpdated.IsZero() || -time.Second <= lag && lag <= most {
			now.LastUpdated = then.LastUpdated
		}
		if err := compareMembers(&then, &now); err != nil {
			return fmt.Errorf("%s: %w", then.Source, err)
		}
	}
	return nil
}
