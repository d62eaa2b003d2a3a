package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/walletscreen/walletscreen/sources/store"
)

// internal logs the error of a part, and returns a problem that says nothing about it.
func (e *exchange) internal(part string, err error, more ...slog.Attr) *problem {
	e.logError(internal, part, err, more...)
	return &problem{Code: internal, Detail: "An internal error occurred. Nothing can be said about the address."}
}

// panicked returns the problem for a recovered panic.
func (e *exchange) panicked(value any) *problem {
	err, ok := value.(error)
	if !ok {
		err = errPanic
	}
	return e.internal("panic", err, slog.String("stack", string(debug.Stack())))
}

// logLines is the number of lines of one kind that are logged at once; then there is one each second.
const logLines = 10

// logError logs why a part of the program has failed. A line has no text that may be the client's: see
// causeOf. So nothing has to be removed from it.
func (e *exchange) logError(kind *code, part string, err error, more ...slog.Attr) {
	if context.Cause(e.Context()) != nil {
		return // the client has gone, which is not a fault
	}
	left, wait := e.lines.allow(kind.name, 1, logLines, time.Now())
	if wait > 0 {
		return
	}
	if left > 0 {
		more = append(more, slog.Int("left_out", left))
	}
	e.Logger.LogAttrs(e.Context(), slog.LevelError, "request failed", append([]slog.Attr{
		slog.String("code", kind.name), slog.String("part", part), slog.String("cause", causeOf(err)),
		slog.String("route", e.route.path), slog.String("request_id", e.id), slog.String("key_id", e.caller.ID),
	}, more...)...)
}

// constants are errors whose text is always the same.
var constants = []error{
	context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrClosed, os.ErrDeadlineExceeded,
	ErrUnavailable, errNoID, errPanic, store.ErrDamaged, store.ErrGap, store.ErrNotFound,
}

var (
	errNoID  = errors.New("the Authorizer returned a caller without an ID")
	errPanic = errors.New("not an error")
)

// causeOf describes an error without its text, which may quote the request: by the words of
// the operating system, a database and the runtime, the errors among constants, and the types of
// all others.
func causeOf(err error) string {
	var causes []string
	var walk func(error)
	walk = func(err error) {
		cause := fmt.Sprintf("%T", err)
		switch x := err.(type) {
		case interface{ SQLState() string }: // five characters: a class of errors of the database
			cause += " " + x.SQLState()
		case interface{ Unwrap() []error }:
			for _, err := range x.Unwrap() {
				walk(err)
			}
			return
		case interface{ Unwrap() error }:
			if under := x.Unwrap(); under != nil {
				walk(under)
				return
			}
		case syscall.Errno, runtime.Error:
			cause = err.Error()
		default:
			if slices.ContainsFunc(constants, func(c error) bool { return c == err }) {
				cause = err.Error()
			}
		}
		causes = append(causes, cause)
	}
	walk(err)
	return strings.Join(causes, "; ")
}
