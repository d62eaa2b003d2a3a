// Validate reads addresses from standard input, one a line, and writes one line of
// JSON for each:
//
//	$ printf '%s\n' 'bitcoin bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu' 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf | go run ./examples/validate
//	{"line":1,"chain":"bitcoin","address":"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"}
//	{"line":2,"chain":"ethereum","address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","also":["zilliqa","hedera"]}
//
// A line is an address, or the slug of a chain, a space and an address. Without a
// chain, Validate tries every chain and names the likeliest first. The member "error"
// gives the reason, with an offset and a hint if there is one, and the member "doubt"
// says that a character may be wrong or missing. Validate never repeats a private key.
//
// The exit status is 1 if any line is not an address, or in doubt.
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
	r := address.Interpret(string(chain), typed)
	err := r.Err
	var pe *address.ParseError
	switch {
	case err == nil && r.Several:
		return "", "This pays several accounts."
	case err == nil && len(r.Doubts) > 0: // such as a wrong capital: do not pay before the person has compared it
		return "", "Look again: " + r.Doubts[0].Explain() + "."
	case err == nil:
		return r.Addresses[0].Normalized(), ""
	case !errors.As(err, &pe):
		return "", err.Error()
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
	Doubt   address.Doubt   `json:"doubt,omitempty"` // ask the sender before money is paid to it
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
		ok = ok && v.Error == "" && v.Doubt == ""
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
		return judgeOn(chain, text)
	}
	return judgeOn("", line)
}

func judgeOn(chain address.Chain, text string) verdict {
	r := address.Interpret(string(chain), text)
	switch {
	case r.Err != nil:
		return failed(chain, r.Err)
	case r.Several:
		return failed(chain, address.ErrSeveral)
	}
	v := verdict{Chain: r.Addresses[0].Chain(), Address: r.Addresses[0].Normalized()}
	for _, a := range r.Addresses[1:] {
		v.Also = append(v.Also, a.Chain())
	}
	if len(r.Doubts) > 0 {
		v.Doubt = r.Doubts[0]
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
