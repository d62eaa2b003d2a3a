package httpapi

import "github.com/walletscreen/walletscreen/address"

// A problem is the body of an error response (RFC 9457).
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance,omitempty"`

	Code      *code  `json:"code"`
	RequestID string `json:"request_id,omitempty"`

	// Field and Reason describe the fault of the input.
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
	// SuggestedChain is the slug of the chain to ask about instead, if one is certain.
	SuggestedChain address.Chain `json:"suggested_chain,omitempty"`
}

// describe fills in the members that follow from the code.
func (p *problem) describe() {
	p.Type, p.Title, p.Status = typeBase+p.Code.name, p.Code.title, p.Code.status
}

// A code identifies the kind of a problem, with the status and the title. Clients branch on its name.
type code struct {
	name   string
	status int
	title  string
}

// MarshalText returns the name.
func (c *code) MarshalText() ([]byte, error) { return []byte(c.name), nil }

// problems.md describes each code.
var (
	missingCredentials    = &code{"missing_credentials", 401, "Missing credentials"}
	invalidToken          = &code{"invalid_token", 401, "Invalid credentials"}
	credentialsInQuery    = &code{"credentials_in_query", 400, "Credentials in the query"}
	insufficientScope     = &code{"insufficient_scope", 403, "Outside the scope of these credentials"}
	keysUnavailable       = &code{"keys_unavailable", 503, "Credentials unavailable"}
	rateLimited           = &code{"rate_limited", 429, "Too many requests"}
	quotaExceeded         = &code{"quota_exceeded", 429, "Quota used up"}
	quotaUnavailable      = &code{"quota_unavailable", 503, "Quotas unavailable"}
	invalidIdempotencyKey = &code{"invalid_idempotency_key", 400, "Invalid Idempotency-Key"}
	idempotencyKeyReused  = &code{"idempotency_key_reused", 422, "Idempotency-Key used before"}
	invalidJSON           = &code{"invalid_json", 400, "Invalid JSON"}
	missingField          = &code{"missing_field", 400, "Missing field"}
	invalidType           = &code{"invalid_type", 400, "Wrong type"}
	invalidAddress        = &code{"invalid_address", 400, "Invalid address"}
	unsupportedChain      = &code{"unsupported_chain", 400, "Unsupported chain"}
	receiptUnavailable    = &code{"receipt_unavailable", 400, "No receipts"}
	pastUnavailable       = &code{"past_unavailable", 400, "No lists of that time"}
	notFound              = &code{"not_found", 404, "Not found"}
	methodNotAllowed      = &code{"method_not_allowed", 405, "Method not allowed"}
	preconditionFailed    = &code{"precondition_failed", 412, "Precondition failed"}
	bodyTooLarge          = &code{"body_too_large", 413, "Body too large"}
	unsupportedMediaType  = &code{"unsupported_media_type", 415, "Unsupported media type"}
	sourcesUnavailable    = &code{"sources_unavailable", 503, "Lists not loaded"}
	sourcesStale          = &code{"sources_stale", 503, "Lists too old"}
	auditUnavailable      = &code{"audit_unavailable", 503, "Screening not recorded"}
	changesUnavailable    = &code{"changes_unavailable", 503, "Changes unavailable"}
	requestTimeout        = &code{"request_timeout", 408, "Request timeout"}
	overloaded            = &code{"overloaded", 503, "Overloaded"}
	internal              = &code{"internal", 500, "Internal error"}
)

// typeBase, followed by a code, is the type of a problem: the URL of its description.
const typeBase = "https://github.com/walletscreen/walletscreen/blob/main/httpapi/problems.md#"

// retryAfter is the default Retry-After of a 503, in seconds.
const retryAfter = "30"

// retrySoon is retryAfter where the trouble is likely to be short.
const retrySoon = "5"
