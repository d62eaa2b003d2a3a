package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// What Options can leave to this package.
const (
	defaultMaxBody       = 16 << 10
	defaultBodyTimeout   = 10 * time.Second
	defaultMaxConcurrent = 1024
)

// limitBodyTime sets the time until which the body of e can be read, be it here
// or by the server, which reads what is left of a body that was not wanted. Where
// the server has a ReadTimeout, that is the limit. Once a body was read to its end,
// net/http lifts the limit. A wrapper that hides the server's ResponseWriter leaves
// none.
func (h *handler) limitBodyTime(e *exchange) {
	if e.Body == nil || e.Body == http.NoBody {
		return
	}
	server, _ := e.Context().Value(http.ServerContextKey).(*http.Server)
	if server != nil && server.ReadTimeout <= 0 {
		http.NewResponseController(e.w).SetReadDeadline(time.Now().Add(h.bodyTimeout))
	}
}

// readBody returns the body of e, if it is not larger than allowed and comes in
// time. It is good until the buffer of e is used again.
func (h *handler) readBody(e *exchange) ([]byte, *problem) {
	if e.ContentLength > h.maxBody {
		return nil, h.tooLarge()
	}
	if e.Body == nil { // in a request that no server made
		return nil, nil
	}
	body := io.Reader(e.Body)
	if e.ContentLength < 0 { // else the server ends it there
		body = http.MaxBytesReader(e.w, e.Body, h.maxBody)
	}
	b, err := appendAll(e.buf[:0], body, h.maxBody)
	e.buf = b
	if err != nil {
		return nil, h.unread(e, err)
	}
	if int64(len(b)) > h.maxBody {
		return nil, h.tooLarge()
	}
	e.Body.Close() // else net/http looks once more for what is left of it
	return b, nil
}

func (h *handler) tooLarge() *problem {
	return &problem{Code: bodyTooLarge, Detail: fmt.Sprintf("The body may have %d bytes.", h.maxBody)}
}

// unread returns the problem of a body that could not be read.
func (h *handler) unread(e *exchange, err error) *problem {
	if tooMany := (*http.MaxBytesError)(nil); errors.As(err, &tooMany) {
		return h.tooLarge()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if e.ProtoMajor < 2 { // where others have a stream of their own
			e.setHeader("Connection", "close")
		}
		return &problem{Code: requestTimeout, Detail: "The body did not come in time."}
	}
	return &problem{Code: invalidJSON, Reason: "truncated", Detail: "The body could not be read to its end."}
}

// appendAll appends what r has to b, until its end or until b is longer than max.
func appendAll(b []byte, r io.Reader, max int64) ([]byte, error) {
	for int64(len(b)) <= max {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}
