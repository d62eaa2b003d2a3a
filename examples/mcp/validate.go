package main

import (
	"cmp"
	"context"
	"slices"

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

// validate answers validate_address.
func (call api) validate(ctx context.Context, q question) (validation, error) {
	var answer struct {
		validation
		Doubts []address.Doubt `json:"doubts"`
	}
	if err := call(ctx, "validate", q, &answer); err != nil {
		return validation{}, err
	}
	v := answer.validation
	if v.Valid && q.Chain == "" && !showsChain(q.Address) {
		v = validation{Chains: v.Chains, Code: chainNeeded.Code, Reason: chainNeeded.Reason, Detail: chainNeeded.Detail}
	}
	v.Doubts = []string{}
	for _, d := range answer.Doubts {
		if v.Valid {
			v.Doubts = append(v.Doubts, string(d)+": "+d.Explain())
		}
	}
	if !v.Valid {
		v.Advice = cmp.Or(advice[v.Reason], advice[v.Code])
	}
	return v, nil
}

// chainNeeded is the problem of a text that showsChain is not true of.
var chainNeeded = &problem{Code: "chain_needed", Reason: "ambiguous", Detail: "The text does not show its chain: it may be an address of several chains, " +
	"a part of a longer address, a mistyped address of another chain, or a secret."}

// showsChain reports whether a text shows its chain, or is no address of any. Without a
// checksum, a mistyped address of one chain can be a name on another one, 64 hex digits are a
// private key or an address, and the rest of an address that was cut can be an address elsewhere.
func showsChain(text string) bool {
	r := address.Interpret("", text)
	if r.Err != nil || r.Several {
		return true
	}
	a := r.Addresses[0]
	if slices.ContainsFunc(r.Addresses, address.Address.Proven) {
		return len(a.Normalized()) >= shortest
	}
	_, controlled := a.Key()
	return len(r.Addresses) == 1 && controlled && len(a.Normalized()) >= shortest && len(a.Normalized()) != 64
}

// shortest is the length of the shortest address that is read without a chain.
const shortest = 25
