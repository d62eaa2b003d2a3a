package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A nitroFilter is the address filter of Arbitrum Nitro, as both generations of its parser read
// it: the first one reads address_hashes, the second one hashes.
type nitroFilter struct {
	ID            string              `json:"id"`
	Salt          string              `json:"salt"`
	Scheme        string              `json:"hashing_scheme"`
	Hashes        []string            `json:"hashes"`
	AddressHashes []map[string]string `json:"address_hashes"` // each in the member hash
}

// newNitroFilter returns the filter of accounts, each of 0x and 40 hex digits.
func newNitroFilter(digest, salt string, accounts []string) nitroFilter {
	f := nitroFilter{ID: snapshotID(digest), Salt: salt, Scheme: "sha256-stringinput"}
	for _, account := range accounts {
		sum := sha256.Sum256([]byte(strings.ToLower(salt + "::" + account)))
		f.Hashes = append(f.Hashes, "0x"+hex.EncodeToString(sum[:]))
	}
	slices.Sort(f.Hashes)
	for _, hash := range f.Hashes {
		f.AddressHashes = append(f.AddressHashes, map[string]string{"hash": hash[2:]})
	}
	return f
}

// snapshotID returns the UUID (version 8) that stands for the digest of a snapshot.
func snapshotID(digest string) string {
	id, err := hex.DecodeString(digest)
	if err != nil || len(id) < 16 {
		return ""
	}
	return formatUUID([16]byte(id[:16]), 8)
}

// formatUUID returns the UUID of a version with these bits.
func formatUUID(id [16]byte, version byte) string {
	id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// openID opens the lists of -from-id, and returns them with a function that returns the entries of one.
func (l *listsCall) openID(ctx context.Context, srcs []sources.Source) (*screening.Past, func(id string) iter.Seq2[sources.Entry, error], error) {
	if l.store == nil {
		return nil, nil, errors.New("-from-id: want -data or -db, where the lists of earlier times are")
	}
	opts := &screening.Options{}
	if err := l.lists.limit(srcs, opts); err != nil {
		return nil, nil, err
	}
	events, err := journal.Answered(ctx, l.store, idsOf(srcs)...)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range events {
		if snapshotID(e.Digest) == strings.ToLower(l.fromID) {
			past, err := screening.OpenDigest(ctx, l.store, e.Digest, srcs, opts)
			return past, func(id string) iter.Seq2[sources.Entry, error] {
				held := e.Held[id]
				return journal.Entries(ctx, l.store, id, &held)
			}, err
		}
	}
	return nil, nil, fmt.Errorf("-from-id %.40q: no lists with the id of a file of -format nitro are kept", l.fromID)
}

func (l *listsCall) nitroSalt() (string, error) {
	salt := strings.ToLower(l.salt)
	if salt == "" {
		var random [16]byte
		rand.Read(random[:])
		return formatUUID(random, 4), nil
	}
	if !uuidForm.MatchString(salt) {
		return "", fmt.Errorf("-salt %.40q: want a UUID", l.salt)
	}
	return salt, nil
}

// nitroAnswer returns an answer from the lists, or an error if a required one has a caveat.
func (l *listsCall) nitroAnswer(lists screeningLists) (screening.Result, error) {
	answer, err := lists.Screen(anyAddress)
	if err != nil {
		return answer, err
	}
	for _, c := range answer.Caveats() {
		i := slices.IndexFunc(answer.Sources(), func(s screening.SourceStatus) bool { return s.Info.ID == c.Source })
		if answer.Sources()[i].Required && c.Kind != screening.CaveatOld { // that is -max-published
			return answer, fmt.Errorf("no filter is written, because %s is %s: refresh it, or say with -max-age how old it may be", c.Source, c.Kind)
		}
	}
	return answer, nil
}

func (l *listsCall) exportNitro(lists screeningLists, entries iter.Seq2[exported, error]) error {
	if l.match != "exact" && l.match != "key" {
		return fmt.Errorf("-match %.40q: want exact or key", l.match)
	}
	answer, err := l.nitroAnswer(lists)
	if err != nil {
		return err
	}
	accounts, left := map[string]bool{}, map[string]int{}
	for e, err := range entries {
		if err != nil {
			return err
		}
		found := false
		for _, a := range l.nitroAccounts(&e.Entry) {
			listed, err := l.isListed(lists, a)
			if err != nil {
				return err
			}
			if listed {
				accounts[a.Normalized()], found = true, true
			}
		}
		if !found {
			left[e.held.Info.ID]++
		}
	}
	if len(accounts) == 0 {
		return errors.New("no list has an account of 20 bytes; a filter without accounts would let everybody pass")
	}
	salt, err := l.nitroSalt()
	if err != nil {
		return err
	}
	text, err := json.Marshal(newNitroFilter(answer.Digest(), salt, slices.Collect(maps.Keys(accounts))))
	if err != nil {
		return err
	}
	if l.out == "" || l.out == "-" {
		_, err = l.Write(text)
	} else {
		err = writeWhole(l.out, text)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(l.stderr, "%s\n", counted(int64(len(accounts)), "account"))
	for _, source := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(l.stderr, "%s: left out %s addresses: no account of 20 bytes, not listed officially, or allowed\n", source, grouped(int64(left[source])))
	}
	return nil
}

// nitroAccounts returns the accounts of an entry on Ethereum, with -match key the accounts of its keys, too.
func (l *listsCall) nitroAccounts(e *sources.Entry) (all []address.Address) {
	for _, a := range accountsOf(e) {
		if a.Canonical().Chain() == "ethereum" {
			all = append(all, a.Canonical())
		}
		if key, ok := a.Key(); ok && l.match == "key" {
			all = append(all, key.SpellingsOn("ethereum")...)
		}
	}
	return all
}

// isListed reports whether a is listed officially or by the operator.
func (l *listsCall) isListed(lists screeningLists, a address.Address) (bool, error) {
	r, err := lists.Screen(a)
	return slices.ContainsFunc(r.Labels, func(label screening.Label) bool {
		return (label.Kind.Official() || label.Kind == score.Blocked) && (label.Match != score.Key || l.match == "key")
	}), err
}
