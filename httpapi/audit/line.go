package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/version"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// newLine returns the line of a screening, without its lists and links.
func (l *Log) newLine(s *httpapi.Screening) ([]byte, error) {
	r, answer := &s.Result, s.Result.Answer()
	line := &receipt.Receipt{
		Time: s.Time.UTC().Truncate(time.Microsecond), AsOf: s.AsOf.UTC(), RequestID: s.RequestID, Item: s.Item, CallerID: s.CallerID,
		Chain: s.Chain, Address: s.Address, Answer: &answer, ScoringVersion: r.ScoringVersion, Snapshot: r.Digest(), ModuleVersion: version.Module(),
	}
	if l.opts.HashKey != nil {
		l.hide(line)
	}
	text, err := evidence.Marshal(evidence.Screening, line)
	if err == nil && len(text) > maxLine {
		err = errLong // else no trail with it could be read
	}
	return text, err
}

// maxLine leaves room for the lists and the links.
const maxLine = evidence.MaxTrailLine - 1<<20

// hide replaces the addresses of a line by their hashes, and each other text that has one of them
// in it: some lists use an address as the reference of an entry.
func (l *Log) hide(line *receipt.Receipt) {
	hash := func(text *string) { *text = "hmac:" + Hash(l.opts.HashKey, *text) }
	addresses, texts := []*string{&line.Address}, []*string{}
	label := func(x *screening.Label) {
		addresses, texts = append(addresses, &x.Listed), append(texts, &x.Ref, &x.Name)
	}
	for i := range line.Labels {
		label(&line.Labels[i])
	}
	for i := range line.Suppressed {
		x := &line.Suppressed[i]
		label(&x.Label)
		texts = append(texts, &x.Reason, &x.Author)
	}
	for i := range line.Formerly {
		f := &line.Formerly[i]
		addresses, texts = append(addresses, &f.Listed), append(texts, &f.Ref, &f.Name)
	}
	for _, text := range texts {
		folded := strings.ToLower(*text)
		has := func(listed *string) bool {
			part := strings.TrimPrefix(strings.ToLower(*listed), "0x")
			return part != "" && strings.Contains(folded, part)
		}
		if slices.ContainsFunc(addresses, has) || len(address.FindAll(*text)) > 0 {
			hash(text)
		}
	}
	for _, listed := range addresses {
		hash(listed)
	}
}
