package receipt

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The outcomes of [Verify].
const (
	// Same: the lists of that time give what the receipt says.
	Same = "same"
	// Different: they do not, or a signature does not match the receipt.
	Different = "different"
	// CannotTell: the lists of that time are not kept, for example, or the store does not say
	// that they were in use at the time of the receipt.
	CannotTell = "cannot tell"
)

// A Verdict is the result of [Verify].
type Verdict struct {
	// Receipt or, of [VerifyTable], Table is the receipt as it was read, which is evidence
	// only if Outcome is Same.
	Receipt *Receipt
	Table   *Table
	// Outcome is Same, Different or CannotTell, and Reason says why it is not Same.
	Outcome string
	Reason  error
	// Signer is the name of the key whose signature holds. If it is "", Unsigned says
	// why: the receipt is not signed, or not by a key of the caller's, or the signature
	// is wrong.
	Signer   string
	Unsigned error
}

// Verify reads a receipt that [Receipt.Encode] has written, and screens its text again:
// with the lists in st, as of that time, and with its scoring version.
//
// If there are known keys, one of them must have signed the receipt: the Outcome of a
// receipt that none has signed is CannotTell at best. Without known keys, Verify checks
// no signature: the receipt may have been written later, but Same still means that the
// lists of that time give this verdict.
//
// With a nil st, Verify verifies the signature only: the Outcome is CannotTell at best, with the
// Reason [ErrNotComputed], and Signer names the key.
//
// The Outcome of a receipt of an earlier version of this module is CannotTell, with the Reason
// [ErrForm], unless its signature is wrong.
//
// Whether a list was stale or old depends on the settings of that program, so Verify does not
// compute these caveats again: only a signature vouches for them.
//
// The error is about data that is not a receipt, or that holds a private key or seed.
func Verify(ctx context.Context, st store.Store, data []byte, known ...note.Verifier) (Verdict, error) {
	var v Verdict
	text, err := v.open(data, known)
	if err != nil {
		return Verdict{}, fmt.Errorf("receipt: %w", err)
	}
	text, former := renew(text, formerFormat, format)
	if v.Receipt, err = parse(text); err != nil {
		return Verdict{}, fmt.Errorf("receipt: %w", err)
	}
	r := v.Receipt
	if _, err := normalize(r.Chain, r.Text); err != nil {
		return Verdict{}, fmt.Errorf("receipt: %w", err)
	}
	v.decide(known, func() (string, error) {
		switch {
		case st == nil:
			return CannotTell, ErrNotComputed
		case former:
			return CannotTell, ErrForm
		}
		return r.replay(ctx, st)
	})
	return v, nil
}

// ErrNotComputed reports that a verdict was not computed again, because there were no lists: only
// the signature, and the files of a table, were verified.
var ErrNotComputed = errors.New("verdicts not computed again, without the lists")

// decide sets the outcome: replay's, unless a signature is wrong or missing.
func (v *Verdict) decide(known []note.Verifier, replay func() (string, error)) {
	if invalid := (*note.InvalidSignatureError)(nil); errors.As(v.Unsigned, &invalid) {
		v.Outcome, v.Reason = Different, v.Unsigned
		return
	}
	v.Outcome, v.Reason = replay()
	if v.Outcome == Same && len(known) > 0 && v.Signer == "" {
		v.Outcome, v.Reason = CannotTell, v.Unsigned
	}
}

// open returns the text of a receipt, and sets the fields about its signatures.
func (v *Verdict) open(data []byte, known []note.Verifier) ([]byte, error) {
	if len(data) > maxSigned {
		return nil, fmt.Errorf("larger than %d bytes", maxSigned)
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
		v.Unsigned = fmt.Errorf("signed with the key %q, which is not among the %d known ones", unknown.Note.UnverifiedSigs[0].Name, len(known))
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

// replay screens the text of r again and says whether the answer is the same.
func (r *Receipt) replay(ctx context.Context, st store.Store) (outcome string, reason error) {
	return r.Basis.replay(ctx, st, r.Time, func(past *screening.Past) error {
		got, err := past.ScreenText(r.Chain, r.Text)
		if err != nil {
			return fmt.Errorf("the lists of that time give no verdict: %w", err)
		}
		err = r.compare(&got)
		if shown := got.WithoutOwn(); err != nil && r.compare(&shown) == nil {
			return nil // the caller was not shown what the operator has written
		}
		return err
	})
}

// replay calls compare with the lists of b at that time, and says whether it has found no
// difference.
func (b *Basis) replay(ctx context.Context, st store.Store, at time.Time, compare func(*screening.Past) error) (outcome string, reason error) {
	table, ok := score.Lookup(b.ScoringVersion)
	if !ok {
		return CannotTell, fmt.Errorf("this program does not have the scoring version %.40q", b.ScoringVersion)
	}
	srcs := make([]sources.Source, 0, len(b.Lists))
	opts := &screening.Options{Table: table}
	for i := range b.Lists {
		srcs = append(srcs, infoSource{b.Lists[i].Info})
		if !b.Lists[i].Required {
			opts.Optional = append(opts.Optional, b.Lists[i].Info.ID)
		}
	}
	past, undated, err := b.openPast(ctx, st, at, srcs, opts)
	if err != nil {
		return CannotTell, err
	}
	err = compare(past)
	if err != nil && ctx.Err() != nil {
		return CannotTell, err
	}
	if undated == nil && err == nil {
		err = b.compareLists(past.Sources())
	}
	switch expires := func(e screening.Exception) bool { return !e.Expires.IsZero() }; {
	case err != nil && undated != nil && slices.ContainsFunc(past.Exceptions(), expires):
		return CannotTell, undated // the exceptions may have expired between the two times
	case err != nil:
		return Different, err
	case undated != nil:
		return CannotTell, undated
	}
	return Same, nil
}

// anyAddress is screened for the digest of the lists.
var anyAddress = address.MustParse("ethereum", "0x0000000000000000000000000000000000000001")

// slack is the time for which a program may use lists that another has replaced. The journal may
// also say a moment later than the answer that a list was in use.
const slack = 10 * time.Second

// openPast opens the lists of b. undated is nil if they are as of that time; otherwise they
// are as of another time with the same digest, and undated says why.
func (b *Basis) openPast(ctx context.Context, st store.Store, at time.Time, srcs []sources.Source, opts *screening.Options) (past *screening.Past, undated, err error) {
	for _, at := range []time.Time{at, at.Add(time.Second), at.Add(-slack)} {
		past, err := screening.OpenAt(ctx, st, at, srcs, opts)
		if err == nil {
			var got screening.Result
			if got, err = past.Screen(anyAddress); err == nil && got.Digest() == b.Snapshot {
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
	past, err = screening.OpenDigest(ctx, st, b.Snapshot, srcs, opts)
	if err != nil {
		err = fmt.Errorf("%w; %w", err, undated)
	}
	return past, undated, err
}

// compare returns an error that names the first member of r that got does not have.
func (r *Receipt) compare(got *screening.Result) error {
	normal := got.Address.Normalized()
	if normal == "" {
		normal = sources.TrimListed(r.Text)
	}
	ended := got.Formerly
	if len(ended) == 0 {
		ended = r.Formerly // the store may keep less of what was before
	}
	then, err := findings(r.Labels, r.Suppressed, r.Formerly)
	if err != nil {
		return err
	}
	now, err := findings(got.Labels, got.Suppressed, ended)
	switch {
	case err != nil:
		return err
	case normal != r.Address:
		return fmt.Errorf("the receipt has another normal form of the address than %q", normal)
	case got.ScoringVersion != r.ScoringVersion:
		return fmt.Errorf("the receipt has the scoring version %.40q, the lists of that time were scored with %s", r.ScoringVersion, got.ScoringVersion)
	case got.Score != r.Score:
		return fmt.Errorf("the receipt has the score %d, the lists of that time give %d", r.Score, got.Score)
	case got.Level != r.Level:
		return fmt.Errorf("the receipt has the level %.40q, the lists of that time give %s", r.Level, got.Level)
	case !bytes.Equal(then, now):
		return fmt.Errorf("the receipt has other labels than the lists of that time give: they have %d, %d suppressed and %d that ended", len(got.Labels), len(got.Suppressed), len(ended))
	case !slices.Equal(r.Doubts, got.Doubts):
		return fmt.Errorf("the receipt has other doubts than the text gives: %v", got.Doubts)
	case !slices.Equal(unloaded(r.Caveats), unloaded(got.Caveats())):
		return fmt.Errorf("the receipt has other caveats than the lists of that time give: %v", unloaded(got.Caveats()))
	case r.AllClear != r.isClear():
		return fmt.Errorf("the receipt says all_clear %t, which its other members contradict", r.AllClear)
	}
	return nil
}

// findings returns what was found as it is in receipts.
func findings(labels []screening.Label, suppressed []screening.Suppressed, formerly []screening.Former) ([]byte, error) {
	return (&Receipt{Answer: screening.Answer{Labels: labels, Suppressed: suppressed, Formerly: formerly}}).line()
}

// unloaded returns the caveats about lists that are not held, or in part.
func unloaded(all []screening.Caveat) []screening.Caveat {
	return slices.DeleteFunc(slices.Clone(all), func(c screening.Caveat) bool {
		return c.Kind != screening.CaveatMissing && c.Kind != screening.CaveatPartial
	})
}

// compareLists returns an error that names the first difference between the lists of b and the
// lists of the store at that time. A store keeps the time of a check to within a minute.
func (b *Basis) compareLists(got []screening.SourceStatus) error {
	for i := range b.Lists {
		then, now := &b.Lists[i], &got[i] // both in the order of the sources of the Past
		id := then.Info.ID
		switch {
		case then.Digest != now.Digest:
			return fmt.Errorf("the receipt has another digest of %s than the store: %s", id, now.Digest)
		case !then.Published.Equal(now.Published.Truncate(time.Second)):
			return fmt.Errorf("the receipt has another date of publication of %s than the store", id)
		case then.Completeness != now.Completeness:
			return fmt.Errorf("the receipt says that %s is %s, the store says %s", id, then.Completeness, now.Completeness)
		}
		lag := then.LastUpdated.Sub(now.LastUpdated.Truncate(time.Second))
		if !then.LastUpdated.IsZero() && (lag < -time.Second || lag > time.Minute+slack) {
			return fmt.Errorf("the receipt says that %s was last checked at %s, the store says %s", id,
				then.LastUpdated.Format(time.RFC3339), now.LastUpdated.UTC().Format(time.RFC3339))
		}
	}
	return nil
}

// An infoSource describes a list that is only looked up in a store.
type infoSource struct{ info sources.Info }

func (s infoSource) Info() sources.Info { return s.info }

func (s infoSource) Load(context.Context, sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return sources.Revision{}, errors.ErrUnsupported
}
