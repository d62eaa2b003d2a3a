package httpapi

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
)

// limitBodyTime sets the deadline for reading the body of e, here or by the server,
// which reads the rest of a body that was not wanted. A server with a ReadTimeout
// has set its own. net/http removes the deadline once a body was read to its end. A
// wrapper that hides the server's ResponseWriter leaves no deadline.
func (e *exchange) limitBodyTime() {
	if e.Body == nil || e.Body == http.NoBody {
		return
	}
	server, _ := e.Context().Value(http.ServerContextKey).(*http.Server)
	if server != nil && server.ReadTimeout <= 0 {
		http.NewResponseController(e.w).SetReadDeadline(time.Now().Add(e.BodyTimeout))
	}
}

// readBody returns the body of e if it has at most max bytes and arrives in time. It
// is valid until the buffer of e is used again.
func (e *exchange) readBody(max int64) ([]byte, *problem) {
	if e.ContentLength > max {
		return nil, tooLarge(max)
	}
	if e.Body == nil { // in a request that no server made
		return nil, nil
	}
	e.buf.Reset()
	if _, err := e.buf.ReadFrom(http.MaxBytesReader(e.w, e.Body, max)); err != nil {
		return nil, e.unread(err, max)
	}
	e.Body.Close() // else net/http looks for the rest of it once more
	return e.buf.Bytes(), nil
}

func tooLarge(max int64) *problem {
	return &problem{Code: bodyTooLarge, Detail: fmt.Sprintf("The body may have at most %d bytes.", max)}
}

// unread returns the problem for a body that could not be read.
func (e *exchange) unread(err error, max int64) *problem {
	if tooMany := (*http.MaxBytesError)(nil); errors.As(err, &tooMany) {
		return tooLarge(max)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if e.ProtoMajor < 2 { // in HTTP/2 only the stream ends
			e.setHeader("Connection", "close")
		}
		return &problem{Code: requestTimeout, Detail: "The body did not arrive in time."}
	}
	return &problem{Code: invalidJSON, Reason: "truncated", Detail: "The body could not be read to its end."}
}

// checkContent returns the problem of a request whose body is not declared as plain
// JSON. Parameters other than charset have no meaning (RFC 8259) and are ignored.
// Types that end in +json promise a meaning that is not ours.
func (e *exchange) checkContent() *problem {
	if types := e.Header["Content-Type"]; len(types) != 1 || types[0] != "application/json" && !isJSON(types[0]) {
		return &problem{Code: unsupportedMediaType, Detail: "Send the body as Content-Type: application/json, in UTF-8."}
	}
	for _, codings := range e.Header["Content-Encoding"] {
		for coding := range strings.SplitSeq(codings, ",") { // empty ones mean nothing (RFC 9110, section 5.6.1)
			if coding = strings.Trim(coding, " \t"); coding != "" && !strings.EqualFold(coding, "identity") {
				e.setHeader("Accept-Encoding", "identity")
				return &problem{Code: unsupportedMediaType, Detail: "Send the body without a Content-Encoding."}
			}
		}
	}
	return nil
}

// isJSON reports whether a Content-Type is that of JSON in UTF-8.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(dropEmpty(contentType))
	charset, ok := params["charset"]
	return err == nil && media == "application/json" && (!ok || strings.EqualFold(charset, "utf-8"))
}

// dropEmpty returns a Content-Type without its empty parameters, which RFC 9110,
// section 5.6.6, allows and package mime does not. It may change quoted values with
// semicolons, which have no meaning here.
func dropEmpty(contentType string) string {
	b := make([]byte, 0, len(contentType))
	empty := false // whether the current parameter is empty so far
	for _, c := range []byte(contentType) {
		if c == ';' && empty {
			continue
		}
		empty = c == ';' || empty && (c == ' ' || c == '\t')
		b = append(b, c)
	}
	return string(b)
}
