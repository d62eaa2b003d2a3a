package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"os"
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
