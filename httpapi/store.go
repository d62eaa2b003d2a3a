package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Errors that a [Store] wraps.
var (
	// ErrNoKey is that of a key id under which nothing is stored.
	ErrNoKey = errors.New("no such key")

	// ErrConflict is that of a key which was changed by somebody else in the
	// meantime, or of a new one whose id is taken.
	ErrConflict = errors.New("the key was changed in the meantime")

	// ErrInvalid is that of what no Store keeps: see [Key.Normal] and
	// [CheckKeyID].
	ErrInvalid = errors.New("invalid")
)

// A Store keeps API keys, what was used of their quotas, and which calls were
// counted. [Memory] is one, for one process; package sqlstore has those that
// last. Package storetest tests that a Store does what is said here.
//
// Methods may be called concurrently, and by several processes on the same data;
// each is atomic. What a method has done without an error outlasts the process
// where the Store lasts at all. A method that returns an error may or may not
// have been done, unless the error wraps one of those above, or the context had
// ended before the call: then it was not.
//
// Ids are compared byte by byte. Times are kept to the microsecond, and returned
// in UTC; the clock is that of the process that calls.
type Store interface {
	// Key returns the key with an id. The error wraps [ErrNoKey] if there is none,
	// be it that there can be none.
	Key(ctx context.Context, id string) (Key, error)

	// Keys returns all keys, sorted by the bytes of their ids.
	Keys(ctx context.Context) ([]Key, error)

	// PutKey stores what [Key.Normal] makes of k, under its id, with a Version one
	// higher. k.Version must be that of the stored key which k was made from, and 0
	// for a new one; otherwise, or if no key is stored to be changed, the error wraps
	// [ErrConflict]. A LastUsed before the stored one changes nothing of that. What
	// Normal refuses is its error, which wraps [ErrInvalid].
	PutKey(ctx context.Context, k Key) error

	// Used sets the LastUsed of keys by their ids. A time before the stored one
	// changes nothing, nor does an id under which nothing is stored; versions stay.
	Used(ctx context.Context, at map[string]time.Time) error

	// Lease takes as much of n as the limit of a month leaves: granted is n or
	// limit-leased, whichever is less, but never below 0; leased is the total after
	// it, of all that was granted and not returned. Negative n and limits are
	// [ErrInvalid]. The id need not be that of a stored key, but one that [CheckKeyID]
	// takes.
	Lease(ctx context.Context, id string, m Month, n, limit int64) (granted, leased int64, err error)

	// Return gives back n of what was leased. The total never falls below 0.
	// Negative n are [ErrInvalid]. As a Return that failed may have been done, it must
	// not be repeated.
	Return(ctx context.Context, id string, m Month, n int64) error

	// Leased returns the total of what was granted and not returned.
	Leased(ctx context.Context, id string, m Month) (int64, error)

	// Claim stores c and returns it as fresh, unless a claim of the same key id and
	// token is held, which is returned instead. A claim is held until it expires, so
	// a c that has expired already only looks. What has expired may be deleted.
	Claim(ctx context.Context, c Claim) (held Claim, fresh bool, err error)

	// Unclaim deletes the claim that equals c, to the microsecond, if it is held.
	Unclaim(ctx context.Context, c Claim) error
}

// A Key is what is kept of an API key: everything but the secret. It is
// comparable.
type Key struct {
	// ID is public: it is part of the token, and may be logged. See [CheckKeyID].
	ID string

	// Name is for people: up to 200 bytes of UTF-8 without control characters.
	Name string

	// Secret is the SHA-256 of the secret.
	Secret [sha256.Size]byte

	// Previous is the SHA-256 of the secret before the last rotation, which is good
	// until PreviousEnds. Both are zero if there is none.
	Previous     [sha256.Size]byte
	PreviousEnds time.Time

	// Scopes are the endpoints that the key is good for. A key that has none is let
	// in nowhere.
	Scopes Scopes

	// Quota is the number of screenings that are granted for each calendar month,
	// in UTC. 0 means no limit.
	Quota int64

	// Rate is the number of requests that are granted per second, as a long-term
	// average, and Burst the number at once. Both 0 mean no limit.
	Rate  float64
	Burst int

	// Created is when the key was made. From Expires and Revoked on it is not good;
	// zero means that it does not expire, and was not revoked. LastUsed is about
	// when it was let in last, or zero.
	Created, Expires, Revoked, LastUsed time.Time

	// Version counts how often the key was stored, but for its LastUsed.
	Version int64
}

// What a Key may hold.
const (
	maxKeyName = 200
	maxRate    = 1e6
	maxBurst   = 1e9
)

// Normal returns k as a [Store] keeps it, its times in UTC and whole
// microseconds. The error wraps [ErrInvalid] for what none keeps: an ID that is
// none, a Name with control characters or of more than 200 bytes, a zero Secret,
// a Previous without its end or an end without it, Scopes that do not exist, a
// negative Quota or Version, a Rate that is not in 0 to 1e6 or a Burst not in 0 to
// 1e9, one of them 0 and the other not, and times outside of the years 1970 to 9999.
// No error tells a hash.
func (k Key) Normal() (Key, error) {
	if err := CheckKeyID(k.ID); err != nil {
		return Key{}, err
	}
	bad := func(what string) (Key, error) {
		return Key{}, fmt.Errorf("httpapi: key %s: %w: %s", k.ID, ErrInvalid, what)
	}
	zero := [sha256.Size]byte{}
	switch {
	case len(k.Name) > maxKeyName, !utf8.ValidString(k.Name), strings.ContainsFunc(k.Name, unicode.IsControl):
		return bad("a name is up to 200 bytes of UTF-8 without control characters")
	case k.Secret == zero:
		return bad("no secret")
	case (k.Previous == zero) != k.PreviousEnds.IsZero():
		return bad("a previous secret has an end, and only that")
	case k.Scopes&^AllScopes != 0:
		return bad("scopes that do not exist")
	case k.Quota < 0:
		return bad("a negative quota")
	case !(0 <= k.Rate && k.Rate <= maxRate), k.Burst < 0, k.Burst > maxBurst: // NaN, too
		return bad("a rate is 0 to 1e6, a burst 0 to 1e9")
	case (k.Rate == 0) != (k.Burst == 0):
		return bad("a rate goes with a burst")
	case k.Version < 0, k.Version == math.MaxInt64:
		return bad("a version that none can have")
	}
	for _, t := range []*time.Time{&k.PreviousEnds, &k.Created, &k.Expires, &k.Revoked, &k.LastUsed} {
		*t = instant(*t)
		if !t.IsZero() && (t.Year() < 1970 || t.Year() > 9999) {
			return bad("a time outside of the years 1970 to 9999")
		}
	}
	return k, nil
}

// instant returns t as a Store keeps it.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// CheckKeyID returns nil if id is a key id: 1 to 64 letters, digits, dots, dashes
// and underscores, all of ASCII. Otherwise the error wraps [ErrInvalid].
func CheckKeyID(id string) error {
	if !isKeyID(id) {
		return fmt.Errorf("httpapi: key id %.80q: %w: want 1 to 64 letters, digits, dots, dashes and underscores", id, ErrInvalid)
	}
	return nil
}

// Scopes are the endpoints that a key is good for, as a set of bits.
type Scopes uint8

// The scopes, one for each endpoint.
const (
	ScopeScreen Scopes = 1 << iota
	ScopeSources
	ScopeUsage

	AllScopes Scopes = 1<<iota - 1
)

var scopeNames = []string{"screen", "sources", "usage"}

// String returns the names in s with blanks between them, as in "screen usage":
// a scope of RFC 6749, section 3.3. Bits that mean nothing are left out.
func (s Scopes) String() string {
	var names []string
	for i, name := range scopeNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// ParseScopes returns the scopes whose names are in text, in any order, with
// blanks between them. The error wraps [ErrInvalid].
func ParseScopes(text string) (Scopes, error) {
	var s Scopes
names:
	for name := range strings.FieldsSeq(text) {
		for i, known := range scopeNames {
			if name == known {
				s |= 1 << i
				continue names
			}
		}
		return 0, fmt.Errorf("httpapi: scope %.80q: %w: want %s", name, ErrInvalid, AllScopes)
	}
	return s, nil
}

// A Month is a calendar month in UTC. It is comparable; the next one is one
// higher.
type Month int32

// MonthOf returns the month of t, in UTC.
func MonthOf(t time.Time) Month {
	t = t.UTC()
	return Month(t.Year()*12 + int(t.Month()) - 1)
}

// Start returns when m begins; it ends when the next one begins.
func (m Month) Start() time.Time {
	return time.Date(int(m/12), time.Month(m%12)+1, 1, 0, 0, 0, 0, time.UTC)
}

// String returns m as in "2026-11".
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m/12, m%12+1) }

// ParseMonth returns the month that text is, as String writes it. The error wraps
// [ErrInvalid].
func ParseMonth(text string) (Month, error) {
	t, err := time.Parse("2006-01", text)
	if err != nil || len(text) != len("2006-01") {
		return 0, fmt.Errorf("httpapi: month %.80q: %w: want one like 2026-11", text, ErrInvalid)
	}
	return MonthOf(t), nil
}

// A Claim is that a call was counted, so that a repeated one is not: see
// Idempotency-Key in problems.md. It holds nothing of what was asked.
type Claim struct {
	// KeyID is the id of the key that made the call.
	KeyID string

	// Token and Print are hashes: of what the caller named the call, and of that
	// with what was asked.
	Token, Print [sha256.Size]byte

	// Expires is until when the claim is held.
	Expires time.Time
}
