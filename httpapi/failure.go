package httpapi

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// failed returns the problem for an error of package screening or address. An
// unexpected error is logged.
func (e *exchange) failed(err error) *problem {
	switch {
	case errors.Is(err, screening.ErrNotLoaded) && !e.asOf.IsZero(): // to ask again does not help
		return noPast("not_kept", fmt.Sprintf("As of %s, no address can be called clean: %v.%s", e.asOf.UTC().Format(time.RFC3339), err, e.keptSince()))
	case errors.Is(err, screening.ErrNotLoaded):
		return &problem{Code: sourcesUnavailable, Detail: "A required list has not been loaded yet, so no address can be called clean."}
	case errors.Is(err, screening.ErrStale):
		return &problem{Code: sourcesStale, Detail: "A required list is older than this server allows, so no address can be called clean."}
	}
	if !isInput(err) {
		return e.internal("lists", err)
	}
	return invalidInput(err, true)
}

// isInput reports whether an error says that the address or the chain is refused.
func isInput(err error) bool {
	return errors.As(err, new(*address.ParseError)) || errors.Is(err, address.ErrSeveral)
}

// reasons name why a text is not an address: the first that fits counts.
var reasons = []struct {
	err  error
	name string
}{
	{address.ErrSecret, "secret"},
	{address.ErrOtherChain, "wrong_chain"},
	{address.ErrChecksum, "bad_checksum"},
	{address.ErrNetwork, "wrong_network"},
	{address.ErrName, "name_not_address"},
	{address.ErrPaymentRequest, "payment_request"},
	{address.ErrInterop, "interoperable_address"},
	{address.ErrLength, "bad_length"},
	{address.ErrCharset, "bad_charset"},
}

// noneListed is a part of the detail that only a screening can know.
const noneListed = ", and no list has any of them"

// invalidInput returns the problem for an address or a chain that was refused, in the words of the
// error. If the request names no chain, the detail names none, because the chain of the error was only tried.
func invalidInput(failure error, named bool) *problem {
	err := &address.ParseError{Offset: -1, Err: failure}
	if errors.As(failure, &err); !named {
		tried := *err
		tried.Chain = ""
		err = &tried
	}
	if errors.Is(failure, address.ErrSeveral) {
		detail := "This pays several accounts" + noneListed + ". Screen the address of each payee by itself."
		if n, _, _ := strings.Cut(err.Hint(), ":"); strings.Contains(n, " addresses ") {
			detail = "There are " + n + noneListed + ". Screen each of them by itself."
		}
		return &problem{Code: invalidAddress, Field: "address", Reason: "several_accounts", Detail: detail}
	}
	text := err.Error()
	p := &problem{Code: invalidAddress, Field: "address", Reason: "bad_format", Detail: strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + ".", SuggestedChain: err.Other}
	if errors.Is(err, address.ErrChain) {
		p.Code, p.Field, p.Reason = unsupportedChain, "chain", "unknown"
		if err.Other != "" {
			p.Reason = "ticker"
		}
		return p
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			p.Reason = r.name
			break
		}
	}
	if p.Reason == "secret" {
		p.Detail, p.SuggestedChain = "This looks like a private key or a seed, not like an address. If it is one, it is no longer safe: move what it controls.", ""
	}
	return p
}
