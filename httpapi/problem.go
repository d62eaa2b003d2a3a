package httpapi

import (
	"errors"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// A problem is the body of an answer that is no success, by RFC 9457.
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance,omitempty"`

	Code      code   `json:"code"`
	RequestID string `json:"request_id"`

	// Of what is wrong with the input.
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
	// SuggestedChain is the slug of the chain to ask about instead, if one is
	// certain.
	SuggestedChain address.Chain `json:"suggested_chain,omitempty"`
}

// A code says what is the problem. It is what a client should branch on.
type code string

// The codes. Each is described in problems.md.
const (
	missingCredentials code = "missing_credentials"
	invalidToken       code = "invalid_token"
	credentialsInQuery code = "credentials_in_query"
	insufficientScope  code = "insufficient_scope"
	keysUnavailable    code = "keys_unavailable"
	rateLimited        code = "rate_limited"
	quotaExceeded      code = "quota_exceeded"
	quotaUnavailable   code = "quota_unavailable"

	invalidIdempotencyKey code = "invalid_idempotency_key"
	idempotencyKeyReused  code = "idempotency_key_reused"
	invalidJSON           code = "invalid_json"
	missingField          code = "missing_field"
	invalidType           code = "invalid_type"
	invalidAddress        code = "invalid_address"
	unsupportedChain      code = "unsupported_chain"
	notFound              code = "not_found"
	methodNotAllowed      code = "method_not_allowed"
	preconditionFailed    code = "precondition_failed"
	bodyTooLarge          code = "body_too_large"
	unsupportedMediaType  code = "unsupported_media_type"
	sourcesUnavailable    code = "sources_unavailable"
	sourcesStale          code = "sources_stale"
	auditUnavailable      code = "audit_unavailable"
	requestTimeout        code = "request_timeout"
	overloaded            code = "overloaded"
	internal              code = "internal"
)

// codes has the status and the title of each code.
var codes = map[code]struct {
	status int
	title  string
}{
	missingCredentials:    {401, "Missing credentials"},
	invalidToken:          {401, "Invalid API key"},
	credentialsInQuery:    {400, "API key in the query"},
	insufficientScope:     {403, "Not granted to this API key"},
	keysUnavailable:       {503, "API keys out of reach"},
	rateLimited:           {429, "Too many requests"},
	quotaExceeded:         {429, "Quota used up"},
	quotaUnavailable:      {503, "Quotas out of reach"},
	invalidIdempotencyKey: {400, "Invalid Idempotency-Key"},
	idempotencyKeyReused:  {422, "Idempotency-Key used before"},
	invalidJSON:           {400, "Invalid JSON"},
	missingField:          {400, "Missing field"},
	invalidType:           {400, "Wrong type"},
	invalidAddress:        {400, "Invalid address"},
	unsupportedChain:      {400, "Unsupported chain"},
	notFound:              {404, "Not found"},
	methodNotAllowed:      {405, "Method not allowed"},
	preconditionFailed:    {412, "Precondition failed"},
	bodyTooLarge:          {413, "Body too large"},
	unsupportedMediaType:  {415, "Unsupported media type"},
	sourcesUnavailable:    {503, "Lists not loaded"},
	sourcesStale:          {503, "Lists too old"},
	auditUnavailable:      {503, "Screening not recorded"},
	requestTimeout:        {408, "Request timeout"},
	overloaded:            {503, "Overloaded"},
	internal:              {500, "Internal error"},
}

// typeBase and a code make the type of a problem: where it is described.
const typeBase = "https://github.com/walletscreen/walletscreen/blob/main/httpapi/problems.md#"

// retryAfter is the number of seconds after which a client that was answered with
// 503 should ask again.
const retryAfter = "30"

// retrySoon is retryAfter where a short trouble is more likely.
const retrySoon = "5"

// finish fills in what follows from the code and from the exchange, sets the
// header that goes with the code, and returns the body.
func (p *problem) finish(e *exchange) []byte {
	row := codes[p.Code]
	p.Type, p.Title, p.Status, p.RequestID = typeBase+string(p.Code), row.title, row.status, e.id
	if header := e.w.Header(); p.Status == 503 && header["Retry-After"] == nil {
		header.Set("Retry-After", retryAfter)
	}
	// What begins with two slashes would refer to another host (RFC 3986, section 4.2).
	if path := e.URL.EscapedPath(); len(path) <= 256 && !strings.Contains(path, tokenPrefix) && !strings.HasPrefix(path, "//") {
		p.Instance = path
	}
	return marshal(p)
}

// problemOf returns the problem of an error that package address or screening
// has returned for the input. chain is what was asked for.
func (h *handler) problemOf(e *exchange, chain string, err error) *problem {
	switch {
	case errors.Is(err, screening.ErrNotLoaded):
		return &problem{Code: sourcesUnavailable, Detail: "A list that is required has not been loaded yet, so no address can be called clean."}
	case errors.Is(err, screening.ErrStale):
		return &problem{Code: sourcesStale, Detail: "A list that is required is older than allowed here, so no address can be called clean."}
	}
	bad := (*address.ParseError)(nil)
	if !errors.As(err, &bad) {
		return h.internal(e, err)
	}
	p := &problem{Code: invalidAddress, Field: "address", SuggestedChain: bad.Other}
	on := " on " + string(bad.Chain) + "."
	switch {
	case errors.Is(err, address.ErrChain):
		p.Code, p.Field, p.Reason = unsupportedChain, "chain", "unknown"
		p.Detail = "The chain" + quoteName(chain) + " is not supported. Use the full name of one that is, such as bitcoin or ethereum."
		if p.SuggestedChain != "" {
			p.Reason = "ticker"
			p.Detail = "The chain" + quoteName(chain) + " is a ticker. Use the slug " + string(p.SuggestedChain) + "."
		}
		return p
	case errors.Is(err, address.ErrSecret):
		p.Reason = "secret"
		p.Detail = "This looks like a private key or a seed, not like an address. If it is one, it is not safe any more: move what it controls."
		return p
	case errors.Is(err, address.ErrOtherChain):
		p.Reason = "wrong_chain"
		p.Detail = "This is an address of another chain, and none" + on
		if p.SuggestedChain != "" {
			p.Detail = "This is an address on " + string(p.SuggestedChain) + ", and none" + on
		}
	case errors.Is(err, address.ErrChecksum):
		p.Reason, p.Detail = "bad_checksum", "The checksum is wrong: this is likely a typing error, and no address"+on
	case errors.Is(err, address.ErrNetwork):
		p.Reason, p.Detail = "wrong_network", "This is an address of a test network, and none"+on
	case errors.Is(err, address.ErrLength):
		p.Reason, p.Detail = "bad_length", "This is too short or too long for an address"+on
	case errors.Is(err, address.ErrCharset):
		p.Reason, p.Detail = "bad_charset", "This has a character that no address has in its place"+on
	default:
		p.Reason, p.Detail = "bad_format", "This is no address"+on
	}
	if hint := bad.Hint(); hint != "" {
		p.Detail += " Hint: " + strings.TrimSuffix(hint, ".") + "."
	}
	return p
}

// quoteName returns the name of a chain as it was given, in quotes after a
// blank, if it has the looks of a name. It may be an address or a key in the
// wrong field, and then returns "".
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
