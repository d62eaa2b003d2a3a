// Package receipt records what was known when an address was screened, so that an
// auditor with the lists of that time can check the verdict later.
//
// [New] makes a [Receipt] of a result, [Receipt.Encode] writes it as a line of JSON and
// signs it, and [Verify] replays it from the lists in a store. A [Table] is the receipt
// of many results at once.
package receipt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/version"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A Receipt is the record of one question and its answer. Its JSON is what Encode writes.
type Receipt struct {
	// Time is when the address was screened. It is exact, because lists may change at any time.
	Time     time.Time `json:"screened_at"`
	Question `json:"input"`
	// Address is the normal form of Text.
	Address string `json:"address"`

	// Answer is the answer as it was given. One that was read has no Points in its labels, and
	// no Created in Suppressed.
	screening.Answer
	Basis
}

// A Question is a text that was screened as an address of a chain.
type Question struct {
	Chain address.Chain `json:"chain"`
	Text  string        `json:"address"`
}

// A Basis is the lists and the program that gave an answer.
type Basis struct {
	ScoringVersion string `json:"scoring_version"`
	// Snapshot is the digest of the lists and exceptions together, as
	// [screening.Result.Digest] returns it. Lists are the lists.
	Snapshot string `json:"snapshot"`
	Lists    Lists  `json:"lists"`
	// ModuleVersion is the version of this module that gave the answer.
	ModuleVersion string `json:"module_version"`
}

func basisOf(r *screening.Result) Basis {
	return Basis{r.ScoringVersion, r.Digest(), slices.Clone(r.Sources()), version.Module()}
}

// New returns the receipt of r, the result of screening text as an address of chain c at
// a time. r must have been returned without an error.
//
// There is no receipt of a text that could be a private key or seed: then the error wraps
// [address.ErrSecret].
func New(c address.Chain, text string, r screening.Result, at time.Time) (*Receipt, error) {
	if r.Digest() == "" || r.Level == "" {
		return nil, errors.New("receipt: the result is zero: want one that Screen returned")
	}
	if at.IsZero() {
		return nil, errors.New("receipt: the time is zero")
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("receipt: the text is not valid UTF-8")
	}
	normal, err := normalize(c, text)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	if got := r.Address; got.IsValid() && got.Normalized() != normal || !got.IsValid() && len(r.Labels) == 0 {
		return nil, fmt.Errorf("receipt: the result is not that of the %s address", c)
	}
	rec := &Receipt{
		Time: at.UTC().Round(0), Question: Question{c, text}, Address: normal, Answer: r.Answer(), Basis: basisOf(&r),
	}
	return rec, nil
}

// isClear reports whether nothing in r speaks against relying on it as a clean answer, as
// [screening.Result.AllClear] says.
func (r *Receipt) isClear() bool {
	return r.Score == 0 && len(r.Labels) == 0 && len(r.Doubts) == 0 && len(r.Caveats) == 0
}

// normalize returns the normal form of text, which is the text itself if it is not an address
// but a list may have it. The error wraps [address.ErrSecret].
func normalize(c address.Chain, text string) (string, error) {
	a, err := address.Normalize(c, text)
	switch {
	case err == nil:
		return a.Normalized(), nil
	case errors.Is(err, address.ErrSecret):
		return "", err
	}
	return sources.TrimListed(text), nil
}

// Encode returns the receipt as a line of JSON. With signers it is a signed note of
// package note, whose text is that line.
func (r *Receipt) Encode(signers ...note.Signer) ([]byte, error) { return encode(r.line, signers) }

// encode returns the line of a receipt, as a signed note if there are signers.
func encode(line func() ([]byte, error), signers []note.Signer) ([]byte, error) {
	text, err := line()
	switch {
	case err != nil:
		return nil, fmt.Errorf("receipt: %w", err)
	case len(text) > maxReceipt:
		return nil, fmt.Errorf("receipt: it has %d bytes, want at most %d", len(text), maxReceipt)
	case len(signers) == 0:
		return text, nil
	}
	signed, err := note.Sign(&note.Note{Text: string(text)}, signers...)
	if err != nil {
		return nil, fmt.Errorf("receipt: signing: %w", err)
	}
	return signed, nil
}

// Split is a [bufio.SplitFunc] that returns the receipts of a file one by one, each with
// its signatures. Its Scanner needs a buffer of 2 MiB for the largest ones.
func Split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.Index(data, []byte("\n{")); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
