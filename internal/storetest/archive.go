package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A list is a revision with its entries.
type list struct {
	header  revision.Header
	entries []sources.Entry
}

// listOf returns the n-th list of a source.
func listOf(source string, n int) list {
	accepted := time.Date(2026, 11, 21, 4, 57, n, 123456789, time.UTC)
	evm := address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	return list{
		header: revision.Header{
			Source: source, Name: "A \"list\"\nof " + source,
			Revision: sources.Revision{
				Digest: fmt.Sprintf("%064x", n), Published: accepted.AddDate(0, 0, -1), Checked: accepted,
				Records: n + 3, ETag: `W/"abc"`, LastModified: "Wed, 19 Nov 2025 15:00:00 GMT",
			},
			Accepted: accepted, Entries: 3,
		},
		entries: []sources.Entry{
			{Address: evm, Listed: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "ETH", Kind: score.Sanctioned, Ref: "27307", Name: "Lazarus Group", ListedAt: accepted.AddDate(-3, 0, 0), FirstSeen: accepted.AddDate(0, -1, 0)},
			{Listed: " not an address\u200b", Asset: "XMR", Kind: score.Scam, Name: "bytes \xff\x00"},
			{Address: address.MustParse("bsc", evm.Normalized()), Kind: score.Scam, Ref: fmt.Sprint(n)},
		},
	}
}

// save saves l, writes its Accepted event, and returns the name.
func (l *list) save(a *journal.Journal) (string, error) {
	name, err := a.Save(ctx, l.header, func(w *revision.Writer) error {
		for _, e := range l.entries {
			if err := w.Entry(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return name, a.Append(ctx, journal.Event{
		Type: journal.Accepted, At: l.header.Accepted, Source: l.header.Source, Revision: name, List: l.header.Revision,
		Entries: len(l.entries), Added: len(l.entries),
	})
}

// isSaved returns an error unless the revision called name is l.
func (l *list) isSaved(a *journal.Journal, name string) error {
	f, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	var entries []sources.Entry
	for e, err := range f.Entries() {
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if f.Header != l.header || !slices.Equal(entries, l.entries) {
		return fmt.Errorf("%s holds %+v %+v, want %+v", name, f.Header, entries, l)
	}
	return nil
}

func archive(open opener) error {
	newArchive := func() (*journal.Journal, error) {
		st, err := open()
		return journal.New(st), err
	}
	a, err := newArchive()
	if err != nil {
		return err
	}
	first, second, other := listOf("TEST", 1), listOf("TEST", 2), listOf("TEST_2", 3)
	var names []string
	for _, l := range []list{first, second, other} {
		name, err := l.save(a)
		if err != nil {
			return fmt.Errorf("a Save: %w", err)
		}
		names = append(names, name)
	}
	confirmed := second.header.Revision
	confirmed.ETag, confirmed.Checked = "new", confirmed.Checked.Add(time.Hour)
	answering := journal.Event{
		Type: journal.Answering, At: confirmed.Checked, Digest: strings.Repeat("ab", 32),
		Lists: map[string]string{"TEST": names[1], "TEST_2": ""}, Exceptions: "exceptions \"1\"\n<&>\u2028é",
	}
	err = a.Append(ctx, answering, journal.Event{Type: journal.Confirmed, Source: "TEST", Revision: names[1], List: confirmed})
	if err != nil {
		return fmt.Errorf("an Append: %w", err)
	}

	if a, err = newArchive(); err != nil {
		return err
	}
	for i, l := range []list{first, second, other} {
		if err := l.isSaved(a, names[i]); err != nil {
			return err
		}
	}
	revisions, err := a.Revisions(ctx, "TEST")
	if err != nil || !slices.Equal(revisions, []string{names[1], names[0]}) {
		return fmt.Errorf("the revisions are %q, %v, want %q and %q", revisions, err, names[1], names[0])
	}
	latest, err := a.Latest(ctx, names[1], second.header.Revision)
	if err != nil || latest != confirmed {
		return fmt.Errorf("the revision was confirmed as %+v, %v, want %+v", latest, err, confirmed)
	}
	checks, err := a.Checks(ctx, names[1])
	if want := []time.Time{second.header.Revision.Checked, confirmed.Checked}; err != nil || !slices.Equal(checks, want) {
		return fmt.Errorf("the checks are %v, %v, want %v", checks, err, want)
	}
	got, err := a.Answering(ctx, answering.At.Add(time.Minute), func(journal.Event) bool { return true })
	if err != nil || got.Digest != answering.Digest || got.Exceptions != answering.Exceptions || !got.At.Equal(answering.At) || !maps.Equal(got.Lists, answering.Lists) {
		return fmt.Errorf("what was answered from is %+v, %v, want %+v", got, err, answering)
	}
	_, err = a.Answering(ctx, answering.At.Add(-1), func(journal.Event) bool { return true })
	if !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("before the first answer: %v, want ErrNotFound", err)
	}
	return nil
}

// content returns the n-th content: binary, and large enough for several writes.
func content(n int) []byte { return bytes.Repeat([]byte{0, 0xff, '\n', byte(n)}, 1+n*40_000) }
