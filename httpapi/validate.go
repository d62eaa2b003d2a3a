package httpapi

import (
	"errors"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/correct"
)

// A validation is the answer to POST /api/v1/validate.
type validation struct {
	Valid  bool            `json:"valid"`
	Chain  address.Chain   `json:"chain,omitempty"`
	Chains []address.Chain `json:"chains"` // on which it is an address, the most specific first

	Address   string `json:"address,omitempty"` // the normal form on Chain
	Canonical string `json:"canonical,omitempty"`
	CAIP10    string `json:"caip10,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Proven    *bool  `json:"proven,omitempty"`

	Doubts []address.Doubt `json:"doubts"` // never null

	// The members of a problem, if it is not valid.
	Code           *code               `json:"code,omitempty"`
	Field          string              `json:"field,omitempty"`
	Reason         string              `json:"reason,omitempty"`
	Detail         string              `json:"detail,omitempty"`
	Offset         *int                `json:"offset,omitempty"`
	SuggestedChain address.Chain       `json:"suggested_chain,omitempty"`
	Correction     *correct.Correction `json:"correction,omitempty"`

	asked address.Chain // of the request, if it names one
}

// validate answers a POST to /api/v1/validate.
func (e *exchange) validate() ([]byte, *problem) {
	text := e.fields["address"].(string)
	name, named := e.fields["chain"].(string)
	return e.inTurn(func() (any, *problem) { // many texts, each read on all chains, would delay screenings
		v := check(text, name, named).propose(text)
		v.Detail = strings.Replace(v.Detail, noneListed, "", 1)
		return v, nil
	})
}

// check validates an address, as /api/v1/screen reads it, or without the name of a chain, on
// all chains.
func check(text, name string, named bool) *validation {
	v := &validation{Chains: []address.Chain{}, Doubts: []address.Doubt{}}
	for _, a := range address.Detect(text) {
		v.Chains = append(v.Chains, a.Chain())
	}
	if named {
		var err error
		if v.asked, err = address.ParseChain(name); err != nil {
			return v.refuse(err, true)
		}
	}
	reading := address.Interpret(string(v.asked), text)
	switch {
	case reading.Err != nil:
		return v.refuse(reading.Err, named)
	case reading.Several:
		return v.refuse(address.ErrSeveral, named)
	}
	v.Doubts = append(v.Doubts, reading.Doubts...)
	return v.accept(reading.Addresses[0])
}

// propose adds the correction of a text that means nothing or is in doubt, if there is one.
func (v *validation) propose(text string) *validation {
	switch {
	case v.Valid && v.asked == "" && !*v.Proven, // it may be an address of another chain with a typing error
		len(v.Doubts) > 0, v.Reason == "bad_checksum", v.Reason == "bad_length", v.Reason == "bad_charset", v.Reason == "bad_format":
		v.Correction = correct.Text(v.asked, text)
	}
	return v
}

// accept fills in the members for an address.
func (v *validation) accept(a address.Address) *validation {
	v.Valid, v.Chain, v.Address = true, a.Chain(), a.Normalized()
	v.Canonical = a.Canonical().String()
	proven := a.Proven() && len(v.Doubts) == 0
	v.Proven = &proven
	id, _ := a.CAIP10()
	v.CAIP10 = strings.Replace(id, a.Display(), v.Address, 1)
	class := "account"
	if key, ok := a.Key(); ok {
		class, _, _ = strings.Cut(key.String(), ":")
	}
	if v.Kind = kinds[class]; v.Kind == "" {
		v.Kind = class
	}
	if !slices.Contains(v.Chains, v.Chain) {
		v.Chains = append([]address.Chain{v.Chain}, v.Chains...)
	}
	return v
}

// kinds names what controls an account, by the class of its key.
var kinds = map[string]string{
	"h160": "key_hash", "h20": "evm_key_hash", "ed25519": "ed25519_key", "ss58": "substrate_account", "script": "script_hash", "wsh": "witness_script_hash",
}

// refuse fills in the fault. named says whether the request names a chain.
func (v *validation) refuse(err error, named bool) *validation {
	p, bad := invalidInput(err, named), (*address.ParseError)(nil)
	v.Code, v.Field, v.Reason, v.Detail, v.SuggestedChain = p.Code, p.Field, p.Reason, p.Detail, p.SuggestedChain
	if errors.As(err, &bad) && bad.Offset >= 0 && p.Field == "address" && p.Reason != "secret" {
		v.Offset = &bad.Offset
	}
	return v
}
