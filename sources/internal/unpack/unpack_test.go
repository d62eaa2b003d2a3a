package unpack_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

func TestLimit(t *testing.T) {
	for n, want := range map[int64]error{2: unpack.ErrTooLarge, 3: nil, 4: nil} {
		if text, err := io.ReadAll(unpack.Limit(strings.NewReader("abc"), n)); !errors.Is(err, want) || err == nil && string(text) != "abc" {
			t.Errorf("limit %d: %q, %v, want %v", n, text, err, want)
		}
	}
}

// A gzip file is read as what it holds, to its end, and within the limit.
func TestGunzip(t *testing.T) {
	var file bytes.Buffer
	for _, text := range []string{"address\n", "0x1\n"} { // two members are one text
		z := gzip.NewWriter(&file)
		z.Write([]byte(text))
		z.Close()
	}
	zip := file.String()
	for in, want := range map[string]string{zip: "address\n0x1\n", "": "", "\x1f": "\x1f", "address\n": "address\n"} {
		if text, err := io.ReadAll(unpack.Gunzip(iotest.OneByteReader(strings.NewReader(in)), false)); err != nil || string(text) != want {
			t.Errorf("%q: %q, %v, want %q", in, text, err, want)
		}
	}
	for in, want := range map[string]error{zip[:len(zip)-1]: io.ErrUnexpectedEOF, zip[:2]: io.ErrUnexpectedEOF, zip + "and more than that": gzip.ErrHeader} {
		if _, err := io.ReadAll(unpack.Gunzip(strings.NewReader(in), false)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", in, err, want)
		}
	}
	if _, err := io.ReadAll(unpack.Limit(unpack.Gunzip(strings.NewReader(zip), false), 11)); !errors.Is(err, unpack.ErrTooLarge) {
		t.Errorf("beyond the limit: %v, want ErrTooLarge", err)
	}
}
