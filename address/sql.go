package address

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// Value implements [driver.Valuer]: the text of [Address.MarshalText], or nil for
// the zero Address.
func (a Address) Value() (driver.Value, error) {
	if a.row == 0 {
		return nil, nil
	}
	return a.String(), nil
}

// Scan implements [database/sql.Scanner]: it reads the text of
// [Address.MarshalText]. NULL and empty text yield the zero Address.
func (a *Address) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*a = Address{}
		return nil
	case string:
		return a.UnmarshalText([]byte(src))
	case []byte:
		return a.UnmarshalText(src)
	}
	return fmt.Errorf("address: a column holds %T, want text such as bitcoin:bc1q…", src)
}

// MarshalText implements [encoding.TextMarshaler]. It returns the same text as
// [Key.String], but no text for the zero Key. It never fails.
func (k Key) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return nil, nil
	}
	return []byte(k.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It reads the text of
// [Key.String]. Empty text yields the zero Key. On error, k is unchanged.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*k = Key{}
		return nil
	}
	name, digits, colon := strings.Cut(string(text), ":")
	b, err := hex.DecodeString(digits)
	class, ok := keyClass(name)
	if !colon || !ok || err != nil || len(b) > 32 || strings.ToLower(digits) != digits {
		return fmt.Errorf("address: %d bytes are no key: want a class, a colon and at most 64 lower-case hex digits, such as h160:751e…", len(text))
	}
	*k = makeKey(class, b)
	return nil
}

// className returns the text of a class: its name, or for an account the slug of
// the chain and the kind, such as "bitcoin/3".
func className(c identity.Class) string {
	if c&identity.AccountBit == 0 {
		return c.String()
	}
	id := uint16(c &^ identity.AccountBit >> kindBits)
	for i := range chains {
		if chains[i].id == id {
			return string(chains[i].slug) + "/" + strconv.Itoa(int(c&(1<<kindBits-1)))
		}
	}
	return c.String() // no Key has it
}

// keyClass returns the class that className gives the name.
func keyClass(name string) (identity.Class, bool) {
	if slug, kind, ok := strings.Cut(name, "/"); ok {
		r := lookup(Chain(slug))
		n, err := strconv.ParseUint(kind, 10, kindBits)
		if r == 0 || err != nil || strconv.FormatUint(n, 10) != kind {
			return 0, false
		}
		return identity.AccountBit | identity.Class(chains[r-1].id)<<kindBits | identity.Class(n), true
	}
	return identity.ParseClass(name)
}
