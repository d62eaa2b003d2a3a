// Validate reads addresses from standard input, one a line, and writes one line of
// JSON for each:
//
//	$ printf '%s\n' 'bitcoin bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu' 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf | go run ./examples/validate
//	{"line":1,"chain":"bitcoin","address":"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"}
//	{"line":2,"chain":"ethereum","address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","also":["zilliqa","hedera"]}
//
// A line is an address, or the slug of a chain, a space and an address. Without a
// chain, Validate tries every chain and names the likeliest first. The member "error"
// gives the reason, with an offset and a hint if there is one. Validate never
// repeats a private key.
//
// The exit status is 1 if any line is not an address.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// field is the address field of a wallet. It takes the text that a person typed and
// the chain of the wallet, and returns the normal form, or a note to show below the
// field.
func field(chain address.Chain, typed string) (normal, note string) {
	a, err := address.Normalize(chain, typed)
	if err == nil {
		return a.Normalized(), ""
	}
	var pe *address.ParseError
	if !errors.As(err, &pe) {
		return "", err.Error()
	}
	switch {
	case errors.Is(err, address.ErrSecret):
		return "", "This may be a private key or a seed phrase. Never give it to anybody."
	case errors.Is(err, address.ErrOtherChain):
		return "", fmt.Sprintf("This is an address of %s.", pe.Other)
	case errors.Is(err, address.ErrNetwork):
		return "", "This is an address of a test network."
	case errors.Is(err, address.ErrChecksum):
		return "", "There is a typing error in this address."
	case pe.Offset >= 0:
		return "", fmt.Sprintf("Character %d does not belong there. %s", pe.Offset+1, pe.Hint())
	}
	return "", "This is not an address."
}

// A verdict is the output for one line.
type verdict struct {
	Line    int             `json:"line"`
	Chain   address.Chain   `json:"chain,omitempty"`
	Address string          `json:"address,omitempty"`
	Also    []address.Chain `json:"also,omitempty"`
	Error   string          `json:"error,omitempty"`
	Other   address.Chain   `json:"other,omitempty"`  // the chain it is an address of instead
	Offset  *int            `json:"offset,omitempty"` // in the address, in bytes
	Hint    string          `json:"hint,omitempty"`
}

func main() {
	ok, err := validate(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "validate:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// validate writes a verdict for each line of r and reports whether all lines are
// addresses.
func validate(r io.Reader, w io.Writer) (ok bool, err error) {
	lines := bufio.NewScanner(r)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	ok = true
	for n := 1; lines.Scan(); n++ {
		v := judge(lines.Text())
		v.Line = n
		ok = ok && v.Error == ""
		if err := enc.Encode(v); err != nil {
			return false, err
		}
	}
	return ok, lines.Err()
}

// judge returns the verdict for one line.
func judge(line string) verdict {
	line = strings.TrimSpace(line)
	name, text, named := strings.Cut(line, " ")
	if chain, err := address.ParseChain(name); named && err == nil {
		a, err := address.Normalize(chain, text)
		if err != nil {
			return failed(chain, err)
		}
		return verdict{Chain: a.Chain(), Address: a.Normalized()}
	}
	found := address.Detect(line)
	if len(found) == 0 {
		// Without a chain there is no precise reason, but any chain reports a secret.
		_, err := address.Parse("bitcoin", line)
		if errors.Is(err, address.ErrSecret) {
			return failed("", err)
		}
		return verdict{Error: "not an address of any supported chain"}
	}
	v := verdict{Chain: found[0].Chain(), Address: found[0].Normalized()}
	for _, a := range found[1:] {
		v.Also = append(v.Also, a.Chain())
	}
	return v
}

func failed(chain address.Chain, err error) verdict {
	v := verdict{Chain: chain, Error: err.Error()}
	var pe *address.ParseError
	if errors.As(err, &pe) {
		v.Error, v.Hint, v.Other = pe.Err.Error(), pe.Hint(), pe.Other
		if pe.Offset >= 0 {
			v.Offset = &pe.Offset
		}
	}
	return v
}
