package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// Errors that a [Store] wraps.
var (
	// ErrNoKey reports that no key is stored under an id.
	ErrNoKey = errors.New("no such key")

	// ErrConflict reports that a key was changed since it was read, that the id of a new
	// key is taken, or that a claim was returned since it was stored.
	ErrConflict = errors.New("the key or claim was changed in the meantime")

	// ErrInvalid reports a key that no Store keeps, see [Key.Normal], or the ID of a caller that is
	// no valid Key.ID.
	ErrInvalid = errors.New("invalid")
)

// A Store keeps API keys, the use of quotas, and which requests were charged.
// [NewMemory] returns one for a single process; packages sqlstore/sqlite and
// sqlstore/postgres open lasting ones. One set of tests holds them
// all to the rules below.
//
// Methods may be called concurrently, and by several processes on the same data; each
// is atomic. What a method has done without an error survives the process, if the
// Store is a lasting one. A method that returns an error may or may not have taken
// effect, unless the error wraps one of the errors above, or the context had ended before
// the call: then it had no effect.
//
// Ids are compared byte by byte. Times are kept in whole microseconds and returned in
// UTC; a Store uses the clock of the calling process. The ids that a Keyring passes are valid; of
// others, a Store may return any error.
type Store interface {
	// Key returns the key with an id. The error wraps [ErrNoKey] if there is none. Another error does not quote the id: it is logged, and
	// the id may be any text that a client has sent.
	Key(ctx context.Context, id string) (Key, error)

	// Keys returns all keys, sorted by the bytes of their ids.
	Keys(ctx context.Context) ([]Key, error)

	// PutKey stores what [Key.Normal] returns for k, with a Version one higher.
	// k.Version must be the Version of the stored key from which k was made, or 0 for a new
	// key; otherwise the error wraps [ErrConflict]. A LastUsed before the stored one
	// does not change it. The error wraps [ErrInvalid] if Normal refuses k.
	PutKey(ctx context.Context, k Key) error

	// Touch sets LastUsed of keys, by their ids. A time before the stored one changes
	// nothing, nor does an unknown id; versions stay.
	Touch(ctx context.Context, at map[string]time.Time) error

	// Lease leases up to n screenings of the month m: n or limit minus
	// leased, whichever is less, but never below 0. If n is negative it returns as many, and
	// the total never falls below 0. leased is the new total of
	// screenings leased and not returned, and changed is when it was last changed; zero if it
	// never was. The id need not
	// belong to a stored key. m is the year in UTC, times 12,
	// and 0 for January to 11 for December. A call that failed may have taken effect, so it must
	// not be repeated.
	Lease(ctx context.Context, id string, m int, n, limit int64) (granted, leased int64, changed time.Time, err error)

	// Claim stores c and returns it, with Repeats 0, unless a claim of the same key id and
	// token is held, which it returns instead, with Repeats one higher than the last
	// time. A claim is held until it expires, so an expired c only looks. Expired
	// claims may be deleted, and the oldest of a key that has more than 100,000: a
	// request that is repeated after that is charged again.
	Claim(ctx context.Context, c Claim) (held Claim, err error)

	// Unclaim deletes the claim that equals c, if it is held. If it was returned by Claim since
	// it was stored, whatever c.Repeats is, it stays, and the error wraps [ErrConflict].
	Unclaim(ctx context.Context, c Claim) error

	// Close releases what the Store has opened. Close a Keyring over it before.
	Close() error
}

// A Claim records that a request with an Idempotency-Key was charged. It holds
// nothing of the request. It is comparable.
type Claim struct {
	// KeyID is the ID of the caller.
	KeyID string

	// Token is a hash of the Idempotency-Key, and Print a hash of the key and the body.
	Token, Print [sha256.Size]byte

	// Granted is the number of screenings that were granted.
	Granted int64

	// Expires is when the claim ends.
	Expires time.Time

	// Repeats is how often the claim was returned since it was stored.
	Repeats int64
}

// instant returns t as a Store keeps it.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// monthStart returns when a month begins, by its number as in Store.Lease. It ends when the next month begins.
func monthStart(m int) time.Time {
	return time.Date(m/12, time.Month(m%12)+1, 1, 0, 0, 0, 0, time.UTC)
}
