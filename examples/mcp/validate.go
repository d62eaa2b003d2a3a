package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// A validation is the answer of validate_address.
type validation struct {
	Valid          bool     `json:"valid" jsonschema:"whether the text is an address"`
	Address        string   `json:"address,omitempty" jsonschema:"the normal form"`
	Chain          string   `json:"chain,omitempty" jsonschema:"the chain of the normal form"`
	Chains         []string `json:"chains" jsonschema:"the chains on which it is an address, the most specific first; an 0x address is one of each EVM chain, and ethereum stands for all"`
	Doubts         []string `json:"doubts" jsonschema:"why the text does not settle which account is meant; tell these to the person"`
	Canonical      string   `json:"canonical,omitempty" jsonschema:"one form for one account, over all encodings and EVM chains"`
	Code           string   `json:"code,omitempty" jsonschema:"of an invalid address: the code of the problem"`
	Reason         string   `json:"reason,omitempty" jsonschema:"of an invalid address: what is wrong, such as bad_checksum, wrong_chain or secret"`
	Detail         string   `json:"detail,omitempty" jsonschema:"of an invalid address: what is wrong, in a sentence"`
	Offset         *int     `json:"offset,omitempty" jsonschema:"of an invalid address: the byte offset of the wrong character"`
	SuggestedChain string   `json:"suggested_chain,omitempty" jsonschema:"the chain whose address it is instead"`
	Advice         string   `json:"advice,omitempty" jsonschema:"of an invalid address: what to do"`
}

// validate answers validate_address. It needs no list, so it asks package address.
func validate(_ context.Context, q question) (validation, error) {
	v := validation{Chains: []string{}, Doubts: []string{}}
	for _, a := range address.Detect(q.Address) {
		v.Chains = append(v.Chains, string(a.Chain()))
	}
	chain, err := address.Chain(""), error(nil)
	if q.Chain != "" {
		chain, err = address.ParseChain(q.Chain)
	}
	if err != nil {
		return invalid(v, err), nil
	}
	reading := address.Interpret(string(chain), q.Address)
	switch {
	case reading.Err != nil:
		return invalid(v, reading.Err), nil
	case reading.Several:
		return invalid(v, address.ErrSeveral), nil
	case chain == "" && !isCertain(reading.Addresses):
		v.Code, v.Reason, v.Detail, v.Advice = "chain_needed", "ambiguous", "The text does not show its chain: it may be an address of those in chains, a mistyped address of another chain, or a secret.", advice["chain_needed"]
		return v, nil
	}
	for _, d := range reading.Doubts {
		v.Doubts = append(v.Doubts, string(d)+": "+d.Explain())
	}
	a := reading.Addresses[0]
	v.Valid, v.Address, v.Chain, v.Canonical = true, a.Normalized(), string(a.Chain()), a.Canonical().String()
	return v, nil
}

// isCertain reports whether a text that means one of these addresses shows its chain.
// Without a checksum, a mistyped address of one chain can be a name on another one, and
// 64 hex digits are a private key or an address.
func isCertain(all []address.Address) bool {
	if slices.ContainsFunc(all, address.Address.Proven) {
		return true
	}
	_, controlled := all[0].Key()
	return len(all) == 1 && controlled && len(all[0].Normalized()) != 64
}

// reasons has the reason of each error of package address, as the HTTP API names it,
// with a sentence. The first that fits counts.
var reasons = []struct {
	err            error
	reason, detail string
}{
	{address.ErrSecret, "secret", "This looks like a private key or a seed, not like an address."},
	{address.ErrSeveral, "several_accounts", "This is not one address."},
	{address.ErrOtherChain, "wrong_chain", "This is an address of another chain."},
	{address.ErrChecksum, "bad_checksum", "The checksum is wrong, so this is likely a typing error."},
	{address.ErrNetwork, "wrong_network", "This is an address of a test network."},
	{address.ErrName, "name_not_address", "This is a name: resolve it to an address first."},
	{address.ErrPaymentRequest, "payment_request", "This is a payment request: ask for the address that is paid."},
	{address.ErrInterop, "interoperable_address", "This is an interoperable address: ask for the address alone, and its chain."},
	{address.ErrLength, "bad_length", "This is too short or too long for an address."},
	{address.ErrCharset, "bad_charset", "This has a character that no address has in its place."},
	{address.ErrChain, "unknown", "The chain is not supported."},
	{nil, "bad_format", "This is not an address."},
}

// invalid adds to v why the address is not valid. It never quotes the input.
func invalid(v validation, err error) validation {
	v.Code = "invalid_address"
	for _, r := range reasons {
		if r.err == nil || errors.Is(err, r.err) {
			v.Reason, v.Detail = r.reason, r.detail
			break
		}
	}
	var p *address.ParseError
	if errors.As(err, &p) {
		v.SuggestedChain = string(p.Other)
		if p.Offset >= 0 {
			v.Offset = &p.Offset
		}
		if hint := p.Hint(); hint != "" && v.Reason != "secret" && !strings.Contains(v.Detail, hint) {
			v.Detail += " Hint: " + hint + "."
		}
	}
	if errors.Is(err, address.ErrChain) {
		v.Code = "unsupported_chain"
		if v.SuggestedChain != "" {
			v.Reason, v.Detail = "ticker", "The chain is given by its ticker."
		}
	}
	if v.Advice = advice[v.Reason]; v.Advice == "" {
		v.Advice = advice[v.Code]
	}
	return v
}
