// Package rule has the rules that package access and each of its stores keep: which ids are
// valid, and how months are counted.
package rule

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ErrInvalid is access.ErrInvalid.
var ErrInvalid = errors.New("invalid")

// MaxID is the greatest length of an id, in bytes.
const MaxID = 200

// CheckID returns nil if id can identify a key or a caller: 1 to 200 bytes of UTF-8 without
// control characters, and without a space at either end. Otherwise the error wraps
// [ErrInvalid].
func CheckID(id string) error {
	if id == "" || len(id) > MaxID || !utf8.ValidString(id) || strings.ContainsFunc(id, unprintable) || strings.TrimSpace(id) != id {
		return fmt.Errorf("access: id %.80q: %w: want 1 to %d bytes of UTF-8 without control characters or outer spaces", id, ErrInvalid, MaxID)
	}
	return nil
}

// Check is CheckID, and checks that no amount is negative.
func Check(id string, amounts ...int64) error {
	for _, n := range amounts {
		if n < 0 {
			return fmt.Errorf("access: id %.80q: %w: the amount %d is negative", id, ErrInvalid, n)
		}
	}
	return CheckID(id)
}

// unprintable reports whether a character may hide or change others where an id is shown.
func unprintable(c rune) bool { return c != ' ' && !unicode.IsPrint(c) }

// Month returns the number of the calendar month of t, in UTC; the next one is one higher.
func Month(t time.Time) int {
	t = t.UTC()
	return t.Year()*12 + int(t.Month()) - 1
}

// MonthStart returns when a month begins. It ends when the next month begins.
func MonthStart(m int) time.Time {
	return time.Date(m/12, time.Month(m%12)+1, 1, 0, 0, 0, 0, time.UTC)
}
