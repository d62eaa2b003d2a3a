package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/walletscreen/walletscreen/sources/store"
)

// follow reads the journal from a position to its end.
func follow(st store.Store, from int64) (lines []byte, next int64, err error) {
	for range 1_000_000 {
		more, next, err := st.Read(ctx, from)
		if err != nil || next == from {
			if len(more) > 0 {
				err = fmt.Errorf("a Read returned %d bytes and the position it was given", len(more))
			}
			return lines, next, err
		}
		if len(more) == 0 || more[len(more)-1] != '\n' {
			return nil, 0, fmt.Errorf("a Read returned %.100q, want whole lines", more)
		}
		lines, from = append(lines, more...), next
	}
	return nil, 0, errors.New("method Read never returns no lines: want an end of the journal")
}

// withoutEmpty returns lines without empty ones.
func withoutEmpty(lines []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(lines) {
		if len(line) > 1 {
			b.Write(line)
		}
	}
	return b.String()
}

func journalLines(open opener) error {
	var want strings.Builder
	for i, lines := range []string{"first\n", "second\nthird\n", "no text: \x00\xff\r\n", strings.Repeat("long ", 1<<20) + "\n", "last\n"} {
		st, err := open()
		if err != nil {
			return err
		}
		if err := st.Append(ctx, []byte(lines)); err != nil {
			return fmt.Errorf("an Append: %w", err)
		}
		want.WriteString(lines)
		got, _, err := follow(st, 0)
		if err != nil {
			return fmt.Errorf("a Read: %w", err)
		}
		if got := withoutEmpty(got); got != want.String() {
			return fmt.Errorf("after %d Appends the journal has %d bytes %.100q, want %d bytes %.100q", i+1, len(got), got, want.Len(), want.String())
		}
	}
	return has(open, nil)
}

func positions(open opener) error {
	st, err := open()
	if err != nil {
		return err
	}
	var ends []int64
	var want []string
	for i := range 5 {
		line := fmt.Sprintf("line %d\n", i)
		if err := st.Append(ctx, []byte(line)); err != nil {
			return fmt.Errorf("an Append: %w", err)
		}
		_, next, err := follow(st, 0)
		if err != nil {
			return err
		}
		ends, want = append(ends, next), append(want, line)
	}
	if st, err = open(); err != nil {
		return err
	}
	for i, from := range ends {
		got, next, err := follow(st, from)
		if err != nil {
			return err
		}
		if want := strings.Join(want[i+1:], ""); withoutEmpty(got) != want || next != ends[4] {
			return fmt.Errorf("from position %d there is %q up to %d, want %q up to %d", from, got, next, want, ends[4])
		}
	}
	got, next, err := st.Read(ctx, ends[4]+1_000_000)
	if err != nil || !strings.HasPrefix(withoutEmpty(got), want[0]) || next > ends[4] {
		return fmt.Errorf("from a position beyond the end there is %q up to %d, %v, want the journal from its beginning", got, next, err)
	}
	return nil
}

func ownBytes(open opener) error {
	st, err := open()
	if err != nil {
		return err
	}
	line := []byte("line\n")
	if err := st.Append(ctx, line); err != nil {
		return err
	}
	copy(line, "fool")
	for range 2 {
		got, _, err := follow(st, 0)
		if err != nil || withoutEmpty(got) != "line\n" {
			return fmt.Errorf("the journal has %q, %v, want what was appended", got, err)
		}
		lines, _, err := st.Read(ctx, 0)
		if err != nil {
			return err
		}
		clear(lines)
	}
	return nil
}
