package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	// claimHolds is the time in which a request may be repeated without another charge.
	claimHolds = 24 * time.Hour

	// maxRepeats is how often that is. A request that is repeated more often is charged.
	maxRepeats = 100

	// maxIdempotencyKey is the greatest length of an Idempotency-Key.
	maxIdempotencyKey = 255
)

// Forms of an Idempotency-Key: a String of RFC 8941, as draft-ietf-httpapi-idempotency-key-header says; and what would
// be a Token there, or a UUID, without the quotes, because many clients send it so.
var (
	quotedKey = regexp.MustCompile(`^"(([ !#-\[\]-~]|\\["\\])+)"$`)
	plainKey  = regexp.MustCompile("^[0-9A-Za-z!#$%&'*+.^_`|~:/=-]+$")
	unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`)
)

// idempotencyKey returns the Idempotency-Key of a request, which has one. The error is [httpapi.ErrIdempotencyKey].
func idempotencyKey(header http.Header) (key string, err error) {
	values := header["Idempotency-Key"]
	text := strings.Trim(values[0], " \t")
	if quoted := quotedKey.FindStringSubmatch(text); quoted != nil {
		key = unescaped.Replace(quoted[1])
	} else if plainKey.MatchString(text) {
		key = text
	}
	if len(values) > 1 || key == "" || len(key) > maxIdempotencyKey {
		return "", httpapi.ErrIdempotencyKey
	}
	return key, nil
}

// A claimKey identifies a claim.
type claimKey struct {
	id    string
	token [sha256.Size]byte
}

// newClaim returns the claim of a request to an endpoint with an Idempotency-Key. Both hashes
// depend on what only the client knows, so that nobody else can find the body by trying.
func newClaim(id, endpoint, key string, body []byte, now time.Time) Claim {
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write(body)
	c := Claim{KeyID: id, Token: sha256.Sum256([]byte(key + "\n" + endpoint)), Expires: instant(now.Add(claimHolds))}
	sum.Sum(c.Print[:0])
	return c
}

// chargeOnce charges a request with an Idempotency-Key, unless it was charged before.
func (r *Keyring) chargeOnce(req *http.Request, c httpapi.Caller, n int, body []byte) (granted int, refund func(int), err error) {
	key, err := idempotencyKey(req.Header)
	if err == nil {
		err = checkID(c.ID)
	}
	if err != nil {
		return 0, nil, err
	}
	ctx, claim := req.Context(), newClaim(c.ID, req.URL.Path, key, body, time.Now())
	look := claim
	look.Expires = time.Time{}
	var held Claim
	var got int
	var release func(int)
	// One request of a key is charged at a time, so that its repeats do not find the quota
	// used up by the charge that is theirs.
	at := claimKey{c.ID, claim.Token}
	one, _ := r.claiming.LoadOrStore(at, make(chan struct{}, 1))
	turn := one.(chan struct{})
	select {
	case turn <- struct{}{}:
		defer func() {
			r.claiming.CompareAndDelete(at, one) // those that wait have it
			<-turn
		}()
	case <-time.After(storePatience):
		return 0, nil, fmt.Errorf("%w: others wait for the store with the same Idempotency-Key", httpapi.ErrUnavailable)
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
	for pause := 10 * time.Millisecond; ; pause *= 3 {
		if held, err = r.claim(ctx, look); err != nil {
			return 0, nil, err
		}
		if held.Repeats > 0 {
			return r.repeated(ctx, c, n, held, claim)
		}
		got, release, err = r.charge(ctx, c, n)
		if err == nil {
			break
		}
		if !errors.Is(err, httpapi.ErrExhausted) || pause > maxRepeatPause || ctx.Err() != nil {
			return 0, nil, err
		}
		time.Sleep(pause) // another process may be about to claim
	}
	claim.Granted = int64(got)
	held, err = r.claim(ctx, claim)
	switch {
	case err != nil: // the claim may be held
		r.undo(ctx, claim, got, release)
		return 0, nil, err
	case held.Repeats > 0: // a concurrent request was faster
		release(got)
		return r.repeated(ctx, c, n, held, claim)
	}
	left := got
	return got, func(k int) {
		if left -= k; left > 0 {
			release(k)
		} else {
			r.undo(ctx, claim, k, release)
		}
	}, nil
}

// maxRepeatPause is the longest pause of chargeOnce.
const maxRepeatPause = 100 * time.Millisecond

// repeated returns the charge of a request whose Idempotency-Key is held.
func (r *Keyring) repeated(ctx context.Context, c httpapi.Caller, n int, held, claim Claim) (granted int, refund func(int), err error) {
	switch {
	case held.Print != claim.Print:
		return 0, nil, httpapi.ErrKeyReused
	case held.Repeats > maxRepeats:
		return r.charge(ctx, c, n)
	}
	return int(held.Granted), func(int) {}, nil
}

// undo deletes the claim, and refunds the last k screenings of its charge. If the claim
// cannot be deleted, the charge stays: the repeated request will not be charged, or was
// answered without a charge of its own.
func (r *Keyring) undo(ctx context.Context, claim Claim, k int, release func(int)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	if r.outage.outcome(r.store.Unclaim(ctx, claim)) == nil {
		release(k)
	}
}

// claim calls Claim of the store, within its time limit.
func (r *Keyring) claim(ctx context.Context, c Claim) (held Claim, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	held, err = r.store.Claim(ctx, c)
	return held, r.outage.outcome(err)
}
