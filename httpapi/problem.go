package httpapi

import "github.com/walletscreen/walletscreen/address"

// A problem is the body of an error response (RFC 9457).
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance,omitempty"`

	Code      code   `json:"code"`
	RequestID string `json:"request_id,omitempty"`

	// Field and Reason describe the fault of the input.
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
	// SuggestedChain is the slug of the chain to ask about instead, if one is certain.
	SuggestedChain address.Chain `json:"suggested_chain,omitempty"`
}

// describe fills in the members that follow from the code.
func (p *problem) describe() {
	row := codes[p.Code]
	p.Type, p.Title, p.Status = typeBase+string(p.Code), row.title, row.status
}

// A code identifies the kind of a problem. Clients branch on it.
type code string

// problems.md describes each code.
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
	receiptUnavailable    code = "receipt_unavailable"
	pastUnavailable       code = "past_unavailable"
	notFound              code = "not_found"
	methodNotAllowed      code = "method_not_allowed"
	preconditionFailed    code = "precondition_failed"
	bodyTooLarge          code = "body_too_large"
	unsupportedMediaType  code = "unsupported_media_type"
	sourcesUnavailable    code = "sources_unavailable"
	sourcesStale          code = "sources_stale"
	auditUnavailable      code = "audit_unavailable"
	changesUnavailable    code = "changes_unavailable"
	requestTimeout        code = "request_timeout"
	overloaded            code = "overloaded"
	internal              code = "internal"
)

// codes holds the status and the title of each code.
var codes = map[code]struct {
	status int
	title  string
}{
	missingCredentials:    {401, "Missing credentials"},
	invalidToken:          {401, "Invalid credentials"},
	credentialsInQuery:    {400, "Credentials in the query"},
	insufficientScope:     {403, "Outside the scope of these credentials"},
	keysUnavailable:       {503, "Credentials unavailable"},
	rateLimited:           {429, "Too many requests"},
	quotaExceeded:         {429, "Quota used up"},
	quotaUnavailable:      {503, "Quotas unavailable"},
	invalidIdempotencyKey: {400, "Invalid Idempotency-Key"},
	idempotencyKeyReused:  {422, "Idempotency-Key used before"},
	invalidJSON:           {400, "Invalid JSON"},
	missingField:          {400, "Missing field"},
	invalidType:           {400, "Wrong type"},
	invalidAddress:        {400, "Invalid address"},
	unsupportedChain:      {400, "Unsupported chain"},
	receiptUnavailable:    {400, "No receipts"},
	pastUnavailable:       {400, "No lists of that time"},
	notFound:              {404, "Not found"},
	methodNotAllowed:      {405, "Method not allowed"},
	preconditionFailed:    {412, "Precondition failed"},
	bodyTooLarge:          {413, "Body too large"},
	unsupportedMediaType:  {415, "Unsupported media type"},
	sourcesUnavailable:    {503, "Lists not loaded"},
	sourcesStale:          {503, "Lists too old"},
	auditUnavailable:      {503, "Screening not recorded"},
	changesUnavailable:    {503, "Changes unavailable"},
	requestTimeout:        {408, "Request timeout"},
	overloaded:            {503, "Overloaded"},
	internal:              {500, "Internal error"},
}

// typeBase, followed by a code, is the type of a problem: the URL of its description.
const typeBase = "https://github.com/walletscreen/walletscreen/blob/main/httpapi/problems.md#"

// retryAfter is the default Retry-After of a 503, in seconds.
const retryAfter = "30"

// retrySoon is retryAfter where the trouble is likely to be short.
const retrySoon = "5"
