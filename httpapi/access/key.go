package access

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Key is the stored part of an API key: everything but the secret. It is comparable.
// To change the quota, burst limit, scopes, name or expiry of a key, change what
// [Store.Key] returns and store it with [Store.PutKey].
type Key struct {
	// ID is public: it is part of the token and may be logged. It has 1 to 200 bytes of UTF-8
	// without control characters, and no space at either end.
	ID string

	// Name is for people: up to 200 bytes of UTF-8 without control characters.
	Name string

	// Secret is the SHA-256 of the secret.
	Secret [sha256.Size]byte

	// Previous is the SHA-256 of the secret before the last rotation, which is valid
	// until PreviousEnds. Both are zero if there is none.
	Previous     [sha256.Size]byte
	PreviousEnds time.Time

	// Scopes are the endpoints that the key may use, sorted and separated by spaces:
	// see [AllScopes]. A key without scopes is admitted nowhere.
	Scopes string

	// Quota is the number of screenings in each calendar month (UTC). 0 means no
	// limit.
	Quota int64

	// Rate is the number of requests per second, as a long-term average, and Burst
	// the number at once, in each process. Both 0 mean no limit.
	Rate  float64
	Burst int

	// Created is when the key was made. The key is invalid from Expires and Revoked
	// on; zero means never. LastUsed is about when it was last admitted, or zero.
	Created, Expires, Revoked, LastUsed time.Time

	// Version counts the changes of the key, without LastUsed.
	Version int64
}

// Limits of the fields of a Key.
const (
	maxKeyName = 200
	maxRate    = 1e6
	maxBurst   = 1e9
)

// Normal returns k as a [Store] keeps it, with its scopes sorted and its times in UTC
// and whole microseconds. The error wraps [ErrInvalid] and says which field cannot be
// stored; it never quotes a hash.
func (k Key) Normal() (Key, error) {
	if err := checkID(k.ID); err != nil {
		return Key{}, err
	}
	bad := func(format string, args ...any) (Key, error) {
		return Key{}, fmt.Errorf("access: key %s: %w: %s", k.ID, ErrInvalid, fmt.Sprintf(format, args...))
	}
	scopes, err := normalScopes(k.Scopes)
	if err != nil {
		return Key{}, fmt.Errorf("access: key %s: %w", k.ID, err)
	}
	k.Scopes = scopes
	zero := [sha256.Size]byte{}
	switch {
	case len(k.Name) > maxKeyName, !utf8.ValidString(k.Name), strings.ContainsFunc(k.Name, unicode.IsControl):
		return bad("Name needs at most %d bytes of UTF-8 without control characters", maxKeyName)
	case k.Secret == zero:
		return bad("Secret is zero")
	case (k.Previous == zero) != k.PreviousEnds.IsZero():
		return bad("Previous and PreviousEnds need each other")
	case k.Quota < 0:
		return bad("Quota is negative: %d", k.Quota)
	case !(0 <= k.Rate && k.Rate <= maxRate): // NaN, too
		return bad("Rate is %v, want 0 to %v", k.Rate, maxRate)
	case k.Burst < 0, k.Burst > maxBurst:
		return bad("Burst is %d, want 0 to %v", k.Burst, maxBurst)
	case k.Rate == 0 && k.Burst != 0:
		return bad("Burst needs a Rate")
	case k.Rate != 0 && k.Burst == 0:
		return bad("Rate needs a Burst")
	case k.Version < 0, k.Version == math.MaxInt64:
		return bad("Version is %d", k.Version)
	}
	for name, t := range map[string]*time.Time{"PreviousEnds": &k.PreviousEnds, "Created": &k.Created, "Expires": &k.Expires, "Revoked": &k.Revoked, "LastUsed": &k.LastUsed} {
		*t = instant(*t)
		if !t.IsZero() && (t.Year() < 1970 || t.Year() > 9999) {
			return bad("%s is outside the years 1970 to 9999", name)
		}
	}
	return k, nil
}

// maxID is the greatest length of an id, in bytes.
const maxID = 200

// checkID returns nil if id can identify a key or a caller: see Key.ID. Otherwise the error wraps
// [ErrInvalid].
func checkID(id string) error {
	unprintable := func(c rune) bool { return c != ' ' && !unicode.IsPrint(c) } // it may hide or change others
	if id == "" || len(id) > maxID || !utf8.ValidString(id) || strings.ContainsFunc(id, unprintable) || strings.TrimSpace(id) != id {
		return fmt.Errorf("access: id %.80q: %w: want 1 to %d bytes of UTF-8 without control characters or outer spaces", id, ErrInvalid, maxID)
	}
	return nil
}

// allScopes are the scopes of the endpoints of package httpapi, sorted.
var allScopes = []string{"own", "past", "screen", "sources", "usage", "validate"}

// defaultScopes are the scopes that NewKey gives. Own, which shows what the operator has written himself, and past,
// which opens the lists of earlier times, are given on purpose only.
const defaultScopes = "screen sources usage validate"

// AllScopes returns all scopes, separated by spaces.
func AllScopes() string { return strings.Join(allScopes, " ") }

// normalScopes returns scopes, separated by spaces, sorted and without repetitions.
// The error wraps [ErrInvalid] if a scope does not exist.
func normalScopes(scopes string) (string, error) {
	names := strings.Fields(scopes)
	for _, name := range names {
		if !slices.Contains(allScopes, name) {
			return "", fmt.Errorf("scope %.80q: %w: want some of %s", name, ErrInvalid, AllScopes())
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " "), nil
}

// NewKey returns a new API key: the token, which is shown to its owner once, and the
// key to store with [Store.PutKey]. It has the fields of k; an empty ID becomes 12
// random letters and digits, a zero Created the current time, and empty Scopes all
// scopes but own and past. Previous and Version of k are ignored. The error comes from [Key.Normal].
//
// The token is "wsk_", the id, "_" and a secret of 260 random bits. One SHA-256 is
// enough for so many bits; a slow hash would only give attackers a way to load the
// server. In the token each byte of the id other than letters, digits, ".", "-" and
// "_" is written as "~" and two hex digits.
func NewKey(k Key) (token string, key Key, err error) {
	if k.ID == "" {
		k.ID = strings.ToLower(rand.Text()[:12])
	}
	if k.Created.IsZero() {
		k.Created = time.Now()
	}
	if k.Scopes == "" {
		k.Scopes = defaultScopes
	}
	k.Previous, k.PreviousEnds, k.Version = [sha256.Size]byte{}, time.Time{}, 0
	token, k.Secret = newToken(k.ID)
	if key, err = k.Normal(); err != nil {
		return "", Key{}, err
	}
	return token, key, nil
}

// Rotate returns k with a new secret, and the token to show to its owner. Nothing has
// changed until it is stored with [Store.PutKey]. The old secret stays valid for the
// overlap; an older one becomes invalid. An overlap of 0 ends the old secret at once.
func (k Key) Rotate(overlap time.Duration) (token string, rotated Key) {
	k.Previous, k.PreviousEnds = [sha256.Size]byte{}, time.Time{}
	if overlap > 0 {
		k.Previous, k.PreviousEnds = k.Secret, instant(time.Now().Add(overlap))
	}
	token, k.Secret = newToken(k.ID)
	return token, k
}
