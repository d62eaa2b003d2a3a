package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/filter"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/secret"
	"github.com/walletscreen/walletscreen/internal/wire"
	"github.com/walletscreen/walletscreen/screening"
)

func init() {
	register.DoFn4x1[context.Context, string, func(string), func(string), error](&screenFn{})
}

// namespace is the namespace of the counters.
const namespace = "walletscreen"

var (
	rowsCounter    = beam.NewCounter(namespace, "rows")
	hitsCounter    = beam.NewCounter(namespace, "hits")
	invalidCounter = beam.NewCounter(namespace, "invalid")
)

// Screen screens each line. It returns the verdicts with a match, a suppressed match or a
// former listing, and the rows that are undecided, as JSON. Each is there once: a row that occurs twice, or a
// bundle that is retried, changes nothing.
func Screen(s beam.Scope, snap Snapshot, r rows, lines beam.PCollection) (hits, bad beam.PCollection) {
	s = s.Scope("walletscreen.Screen")
	hits, bad = beam.ParDo2(s, &screenFn{Snapshot: snap, Rows: r}, lines)
	return filter.Distinct(s, hits), filter.Distinct(s, bad)
}

// A screenFn screens lines. The exported fields travel to the workers.
type screenFn struct {
	Snapshot Snapshot
	Rows     rows

	past *screening.Past
}

// Setup opens the lists when a worker starts.
func (f *screenFn) Setup(ctx context.Context) (err error) {
	f.past, err = f.Snapshot.open(ctx)
	return err
}

// A verdict is a line of hits.jsonl.
type verdict struct {
	Address string `json:"address"` // as in the row, or of the account if the row could hold a secret
	Chain   string `json:"chain"`
	Digest  string `json:"snapshot"`
	screening.Answer
	Scoring string `json:"scoring_version"`
	Error   string `json:"error,omitempty"` // why it is undecided, although it is listed
}

// A failure is a line of errors.jsonl. It does not quote a row that is not
// understood, because it could hold a secret; the hash finds it.
type failure struct {
	Address string `json:"address,omitempty"`
	Chain   string `json:"chain,omitempty"`
	Digest  string `json:"snapshot"`
	Row     string `json:"row_sha256"` // of the line, without its end
	Error   string `json:"error,omitempty"`

	Doubts []address.Doubt `json:"doubts,omitempty"` // no list has it, but it is not clean
}

// ProcessElement screens a line. An error that is not the row's own, such as a
// missing list, fails the bundle: no row is ever taken for clean.
func (f *screenFn) ProcessElement(ctx context.Context, line string, hit, bad func(string)) error {
	chain, text, err := f.Rows.read(line)
	switch {
	case errors.Is(err, errSkip):
		return nil
	case errors.Is(err, errHeader):
		return err
	}
	rowsCounter.Inc(ctx, 1)
	if err != nil {
		return f.fail(ctx, bad, line, failure{Error: err.Error()})
	}
	r, rd, err := f.past.ScreenInput(chain, text)
	var parse *address.ParseError
	switch {
	case err != nil && !errors.As(err, &parse):
		return err
	case len(r.Labels) == 0 && (err != nil || len(r.Doubts) > 0):
		bare := failure{Chain: string(rd.Chain), Doubts: r.Doubts}
		if err != nil {
			bare.Error = err.Error()
		}
		if !secret.Hides(err, text) {
			bare.Address = text
		}
		return f.fail(ctx, bad, line, bare)
	case len(r.Labels)+len(r.Suppressed)+len(r.Formerly) == 0:
		return nil
	}
	if len(r.Labels) > 0 {
		hitsCounter.Inc(ctx, 1)
	}
	c := r.Address.Chain()
	if c == "" {
		c = rd.Chain // a listed text that is not an address
	}
	v := verdict{Address: text, Chain: string(c), Digest: r.Digest(), Answer: r.Answer(), Scoring: r.ScoringVersion}
	if secret.Hides(err, text) {
		v.Address = r.Address.Normalized()
	}
	v.AllClear = v.AllClear && err == nil
	if err != nil {
		v.Error = err.Error()
	}
	return write(hit, v)
}

// fail emits a row that could not be screened.
func (f *screenFn) fail(ctx context.Context, bad func(string), line string, e failure) error {
	invalidCounter.Inc(ctx, 1)
	sum := sha256.Sum256([]byte(line))
	e.Row, e.Digest = hex.EncodeToString(sum[:]), f.Snapshot.Digest
	return write(bad, e)
}

// write emits v as a line of JSON.
func write(emit func(string), v any) error {
	line, err := wire.JSON(v)
	if err == nil {
		emit(string(line))
	}
	return err
}
