package httpapi

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"time"
)

// secretLen is the length of the secret in a token: 52 capital letters and
// digits, of 260 random bits.
const secretLen = 52

// IssueKey returns a new API key: the token, "wsk_", the id, "_" and a random
// secret, which is shown to its owner once; and what is to be stored of it, by
// [Store.PutKey], which is all that k says and the hash of the secret. An ID that
// is empty is made up, of 12 letters and digits; a Created that is zero is now;
// Scopes that are 0 are all. Any Previous and Version of k are dropped. The error
// is that of [Key.Normal].
//
// One SHA-256 is enough for a secret of so many random bits, and a slow hash
// would only be a way to keep the server busy.
func IssueKey(k Key) (token string, issued Key, err error) {
	if k.ID == "" {
		k.ID = strings.ToLower(rand.Text()[:12])
	}
	if k.Created.IsZero() {
		k.Created = time.Now()
	}
	if k.Scopes == 0 {
		k.Scopes = AllScopes
	}
	k.Previous, k.PreviousEnds, k.Version = [sha256.Size]byte{}, time.Time{}, 0
	token, k.Secret = newToken(k.ID)
	issued, err = k.Normal()
	if err != nil {
		return "", Key{}, err
	}
	return token, issued, nil
}

// Rotate returns k with a new secret, and the token to show to its owner. It is
// to be stored by [Store.PutKey]; until then nothing has changed. The secret that
// k has is good for the overlap still, so that the owner can bring in the new one
// meanwhile, and any before that is good no more. An overlap of 0 ends it at once.
func (k Key) Rotate(overlap time.Duration) (token string, rotated Key) {
	k.Previous, k.PreviousEnds = [sha256.Size]byte{}, time.Time{}
	if overlap > 0 {
		k.Previous, k.PreviousEnds = k.Secret, instant(time.Now().Add(overlap))
	}
	token, k.Secret = newToken(k.ID)
	return token, k
}

// newToken returns a new token of a key id, and the hash of its secret.
func newToken(id string) (token string, hash [sha256.Size]byte) {
	secret := (rand.Text() + rand.Text())[:secretLen]
	return tokenPrefix + id + "_" + secret, sha256.Sum256([]byte(secret))
}

// cutToken returns the parts of a token that IssueKey or Rotate may have made.
func cutToken(token string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	at := len(rest) - secretLen - 1
	if !ok || at < 1 || rest[at] != '_' || !isKeyID(rest[:at]) {
		return "", "", false
	}
	return rest[:at], rest[at+1:], true
}

// hashSecret returns the hash of a secret, without an allocation.
func hashSecret(secret string) [sha256.Size]byte {
	var b [secretLen]byte
	return sha256.Sum256(b[:copy(b[:], secret)])
}

// admits reports whether k lets in who has the secret with a hash. The zero Key
// lets in nobody, in the time that any other takes.
func (k *Key) admits(hash [sha256.Size]byte, now time.Time) bool {
	current := subtle.ConstantTimeCompare(hash[:], k.Secret[:])
	previous := subtle.ConstantTimeCompare(hash[:], k.Previous[:])
	if !now.Before(k.PreviousEnds) {
		previous = 0
	}
	expired := !k.Expires.IsZero() && !now.Before(k.Expires)
	revoked := !k.Revoked.IsZero() && !now.Before(k.Revoked)
	return current|previous == 1 && !expired && !revoked && k.Scopes != 0
}

// grant returns what k grants to whom it lets in.
func (k *Key) grant() Grant {
	return Grant{KeyID: k.ID, Scopes: k.Scopes, Quota: k.Quota, Rate: k.Rate, Burst: k.Burst}
}
