package httpapi

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// failed returns the problem for an error of package screening or address. chain is
// the chain of the request. An unexpected error is logged.
func (e *exchange) failed(chain string, err error) *problem {
	switch {
	case errors.Is(err, screening.ErrNotLoaded) && !e.asOf.IsZero(): // to ask again does not help
		return noPast("not_kept", fmt.Sprintf("As of %s, no address can be called clean: %v.%s", e.asOf.UTC().Format(time.RFC3339), err, e.keptSince()))
	case errors.Is(err, screening.ErrNotLoaded):
		return &problem{Code: sourcesUnavailable, Detail: "A required list has not been loaded yet, so no address can be called clean."}
	case errors.Is(err, screening.ErrStale):
		return &problem{Code: sourcesStale, Detail: "A required list is older than this server allows, so no address can be called clean."}
	}
	if !isInput(err) {
		return e.internal(err)
	}
	return invalidInput(chain, err)
}

// isInput reports whether an error says that the address or the chain is refused.
func isInput(err error) bool {
	return errors.As(err, new(*address.ParseError)) || errors.Is(err, address.ErrSeveral)
}

// faults are the reasons why a text is not an address: the first one counts.
var faults = []struct {
	err            error
	reason, detail string
}{
	{address.ErrOtherChain, "wrong_chain", "This is an address of another chain, not an address"},
	{address.ErrChecksum, "bad_checksum", "The checksum is wrong, probably by a typing error, so this is not an address"},
	{address.ErrNetwork, "wrong_network", "This is an address of a test network, not an address"},
	{address.ErrName, "name_not_address", "This is a name, not an address"},
	{address.ErrPaymentRequest, "payment_request", "This is a payment request, not an address"},
	{address.ErrInterop, "interoperable_address", "This is an interoperable address, which holds an account and its chain, not an address"},
	{address.ErrLength, "bad_length", "This is too short or too long for an address"},
	{address.ErrCharset, "bad_charset", "This has a character that is not allowed at its position in an address"},
}

// noneListed is a part of the detail that only a screening can know.
const noneListed = ", and no list has any of them"

// invalidInput returns the problem for an address or a chain that was refused.
func invalidInput(chain string, failure error) *problem {
	err := &address.ParseError{Offset: -1, Err: failure}
	errors.As(failure, &err)
	if errors.Is(failure, address.ErrSeveral) {
		detail := "This pays several accounts" + noneListed + ". Screen the address of each payee by itself."
		if n, _, _ := strings.Cut(err.Hint(), ":"); strings.Contains(n, " addresses ") {
			detail = "There are " + n + noneListed + ". Screen each of them by itself."
		}
		return &problem{Code: invalidAddress, Field: "address", Reason: "several_accounts", Detail: detail}
	}
	if errors.Is(err, address.ErrChain) {
		return unsupported(chain, err.Other)
	}
	p := &problem{Code: invalidAddress, Field: "address", Reason: "bad_format", Detail: "This is not an address", SuggestedChain: err.Other}
	if errors.Is(err, address.ErrSecret) {
		p.Reason = "secret"
		p.Detail = "This looks like a private key or a seed, not like an address. If it is one, it is no longer safe: move what it controls."
		return p
	}
	for _, f := range faults {
		if errors.Is(err, f.err) {
			p.Reason, p.Detail = f.reason, f.detail
			break
		}
	}
	if p.Reason == "wrong_chain" && p.SuggestedChain != "" {
		p.Detail = "This is an address on " + string(p.SuggestedChain) + ", not an address"
	}
	if err.Chain != "" {
		p.Detail += " on " + string(err.Chain)
	}
	p.Detail += "."
	if hint := err.Hint(); hint != "" {
		p.Detail += " Hint: " + strings.TrimSuffix(hint, ".") + "."
	}
	return p
}

// unsupported returns the problem for a chain that is not supported. other is the
// slug to use instead, or "".
func unsupported(chain string, other address.Chain) *problem {
	p := &problem{Code: unsupportedChain, Field: "chain", Reason: "unknown", SuggestedChain: other}
	p.Detail = "The chain" + quoteName(chain) + " is not supported. Use the full name of a supported chain, such as bitcoin or ethereum, or eip155: and the number of an EVM chain."
	if other != "" {
		p.Reason = "ticker"
		p.Detail = "The chain" + quoteName(chain) + " is a ticker. Use the slug " + string(other) + "."
	}
	return p
}

// quoteName returns a space and the name of a chain in quotes if it looks like a
// name. Otherwise it may be an address or a key in the wrong field, and quoteName
// returns "".
func quoteName(name string) string {
	for _, c := range []byte(name) {
		if !isAlphanumeric(c) && c != '-' && c != '_' && c != ' ' {
			return ""
		}
	}
	if name == "" || len(name) > 24 {
		return ""
	}
	return ` "` + name + `"`
}
