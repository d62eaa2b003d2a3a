package compat

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/walletscreen/walletscreen/internal/wire"
)

// A problem is the body of an error, as in package httpapi.
type problem map[string]any

func newProblem(status float64, code, title, detail string) problem {
	paper := "problems.md#"
	if code == listedOtherwise {
		paper = "compat/README.md#"
	}
	return problem{"type": "https://github.com/walletscreen/walletscreen/blob/main/httpapi/" + paper + code,
		"status": status, "code": code, "title": title, "detail": detail}
}

// An answer is the response of package httpapi to a batch, and the answer in the other shape.
type answer struct {
	header  http.Header
	status  int
	text    bytes.Buffer
	problem problem // of a response that is an error
	body    any

	Results   []json.RawMessage
	Freshness map[string]freshness `json:"data_freshness"`
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.text.Write(b) }

// A lateBody returns the body of a request to package httpapi, which is made when it is read: not before
// the caller is admitted.
type lateBody func() io.Reader

func (b lateBody) Read(p []byte) (int, error) { return b().Read(p) }

// ask sends a request with the header of r, and the API key where package httpapi expects it.
func (h *handler) ask(r *http.Request, method, path string, body io.Reader) *answer {
	in := r.Clone(r.Context())
	in.Method, in.URL, in.ContentLength = method, &url.URL{Path: h.prefix + path, RawQuery: r.URL.RawQuery}, -1
	in.Body = io.NopCloser(body)
	if _, password, ok := r.BasicAuth(); ok {
		in.Header.Set("Authorization", "Bearer "+password)
	} else if key := r.Header.Get("X-Api-Key"); key != "" && r.Header["Authorization"] == nil {
		in.Header.Set("Authorization", "Bearer "+key)
	}
	in.Header.Del("X-Api-Key")
	a := &answer{header: make(http.Header)}
	h.api.ServeHTTP(a, in)
	if a.status == http.StatusOK && json.Unmarshal(a.text.Bytes(), a) == nil && len(a.Results) > 0 {
		return a
	}
	a.Results, a.problem = nil, newProblem(500, "internal", "Internal error", "Nothing can be said about the address.")
	if a.status >= 400 {
		a.problem["status"] = float64(a.status) // also for HEAD, whose answer has no body
		json.Unmarshal(a.text.Bytes(), &a.problem)
	}
	return a
}

// explain replaces the detail of a problem with a status.
func (a *answer) explain(status int, detail string) {
	if a.status == status {
		a.problem["detail"] = detail
	}
}

// write writes the problem of a, or else its body with a status.
func (a *answer) write(w http.ResponseWriter, status int) {
	var body any = a.body
	if a.problem != nil && a.status != http.StatusNoContent {
		delete(a.problem, "instance") // it is the path of ask
		a.problem["request_id"] = a.header.Get("X-Request-Id")
		code, _ := a.problem["status"].(float64)
		status, body = int(code), a.problem
		a.header.Set("Content-Type", "application/problem+json")
		if status == http.StatusServiceUnavailable && a.header["Retry-After"] == nil {
			a.header.Set("Retry-After", "30")
		}
	}
	a.header.Del("Content-Length")
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.status == http.StatusNoContent { // of OPTIONS
		w.WriteHeader(a.status)
		return
	}
	w.WriteHeader(status)
	text, _ := wire.JSON(body)
	w.Write(append(text, '\n')) // an error means that the client has gone
}
