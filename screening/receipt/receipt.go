// Package receipt records what was known when an address was screened, so that an
// auditor with the lists of that time can check the verdict later.
//
// [New] makes a [Receipt] of a result, [Receipt.Encode] writes it as a line of JSON and
// signs it, and [Verify] replays it from the revisions in a store. A [Table] is the receipt
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
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A Receipt is the record of one question and its answer.
type Receipt struct {
	// Time is when the address was screened.
	Time time.Time
	// Chain and Text are the question, and Address is the normal form of Text.
	Chain         address.Chain
	Text, Address string

	// Score, Level, Labels, Suppressed and ScoringVersion come from the result. A
	// receipt that was read has no Points in its labels, and no Created in Suppressed.
	Score          int
	Level          score.Level
	Labels         []screening.Label
	Suppressed     []screening.Suppressed
	ScoringVersion string

	// Snapshot is the digest of the lists and exceptions together, as
	// [screening.Result.Digest] returns it. Lists are the lists. A receipt that was read
	// has only the ID, Name and Jurisdiction of their Info, and their Required,
	// LastUpdated, Published, Digest and Completeness.
	Snapshot string
	Lists    []screening.SourceStatus

	// ModuleVersion is the version of this module that gave the answer.
	ModuleVersion string
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
	return &Receipt{
		Time: at.UTC().Round(0), Chain: c, Text: text, Address: normal,
		Score: r.Score, Level: r.Level, Labels: r.Labels, Suppressed: r.Suppressed, ScoringVersion: r.ScoringVersion,
		Snapshot: r.Digest(), Lists: slices.Clone(r.Sources()), ModuleVersion: version.Module(),
	}, nil
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
func (r *Receipt) Encode(signers ...note.Signer) ([]byte, error) {
	line, err := encode(r)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	return sign(line, signers)
}

// sign returns the line of a receipt, as a signed note if there are signers.
func sign(line []byte, signers []note.Signer) ([]byte, error) {
	if len(line) > maxReceipt {
		return nil, fmt.Errorf("receipt: it has %d bytes, want at most %d", len(line), maxReceipt)
	}
	if len(signers) == 0 {
		return line, nil
	}
	signed, err := note.Sign(&note.Note{Text: string(line)}, signers...)
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
