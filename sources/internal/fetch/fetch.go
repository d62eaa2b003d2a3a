// Package fetch downloads files from the web servers of list publishers. These
// servers are slow, move, and sometimes answer with something else.
//
// [Get] makes a request and repeats it while the failure may pass. A [Source] is a list that
// is one file.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// UserAgent is the User-Agent header. OFAC answers 403 to requests without
// one. In July 2026 it did so for some days to those that were short or did not begin
// like a browser's.
const UserAgent = "Mozilla/5.0 (compatible; walletscreen/0.1; +https://github.com/walletscreen/walletscreen)"

var (
	// ErrTooLarge: the uncompressed body is larger than Request.MaxBytes.
	ErrTooLarge = unpack.ErrTooLarge
	// ErrAgain: the server asks in a body to come again, or the body is not complete. The
	// error of a read that wraps it is not final.
	ErrAgain = errors.New("try again later")
	// ErrStalled: no byte arrived for Request.Stall.
	ErrStalled = errors.New("stalled")

	errRedirect = errors.New("redirected")
)

// A StatusError is an answer with a status that carries no file.
type StatusError struct {
	Status int // the HTTP status code
}

func (e *StatusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("status %d %s", e.Status, http.StatusText(e.Status)))
}

// Options are the options of a list: where it is, and how to fetch it. Package sources describes them.
type Options struct {
	URL       string       // the address of the file
	Client    *http.Client // its CheckRedirect applies in addition to the rules of Get; its errors are final
	AllowHTTP bool         // allows addresses that are not https
}

// A Request says which file to get. Only URL is required.
type Request struct {
	Options
	// ETag and LastModified are the validators of the copy that the caller holds. If
	// one is set, the request is conditional.
	ETag, LastModified string
	// Body, unless it is nil, is sent as JSON with POST. Redirects are then not followed.
	Body []byte
	// MaxBytes limits the uncompressed body. Zero means 1 GiB.
	MaxBytes int64
	// Stall limits the wait for the answer and for each further byte. Zero means a
	// minute. Only the context limits the whole time.
	Stall time.Duration
	// Attempts is the number of attempts. Zero means 4.
	Attempts int
	// Backoff is about the wait before the second attempt. It doubles with each
	// further attempt. Zero means two seconds.
	Backoff time.Duration
	// Name names the list in the errors of a Source.
	Name string
	// As says how a Source reads, such as the kind that the caller chooses; "" is the usual.
	As string
}

// A Result describes an answer without its body.
type Result struct {
	// NotModified reports that the copy that the caller holds is current.
	NotModified bool
	// ETag and LastModified are the validators of the current copy, or "". After
	// NotModified they are the validators of the request.
	ETag, LastModified string
}

// Get downloads the file at req.URL and calls read with its uncompressed body, unless
// the copy that the caller holds is current. Get returns when read has returned. It calls the
// function of [sources.Progress] when a body begins, and with the bytes that arrived, as they are
// sent (maybe compressed), after each of its pieces. Each attempt begins at zero.
//
// The answer 304 confirms only the validators that were sent. If a 304 carries other
// ones, Get asks again without conditions; see [confirms].
//
// A body shorter than its announced length is an error, whatever read returns.
//
// Get tries again, after a randomized wait, if the server cannot be reached, stalls, or answers
// 408, 429, 5xx or 403, which the publishers' firewalls send in bursts. If a body breaks off, Get
// calls read again with the new body from its beginning: read must be able to start over. An error
// of read itself is final, unless it wraps [ErrAgain] or, for a body in gzip, [io.ErrUnexpectedEOF].
//
// Get follows at most ten redirects, also to other hosts, but never to a login page or from https
// to http. Redirects may lead to signed addresses, and URL may contain a token: errors
// name its host and path only. They wrap ctx.Err(), [ErrTooLarge], [ErrStalled],
// a [*StatusError], or the cause.
func Get(ctx context.Context, req *Request, read func(body io.Reader) error) (Result, error) {
	r := *req
	r.Client = cmp.Or(r.Client, http.DefaultClient)
	r.MaxBytes, r.Stall = cmp.Or(r.MaxBytes, 1<<30), cmp.Or(r.Stall, time.Minute)
	r.Attempts, r.Backoff = cmp.Or(r.Attempts, 4), cmp.Or(r.Backoff, 2*time.Second)
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return Result{}, errors.New("no URL, or a malformed one")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !r.AllowHTTP) {
		return Result{}, fmt.Errorf("get %s: scheme %q, want https", bare(u), u.Scheme)
	}
	for attempt := 1; ; attempt++ {
		result, f := r.try(ctx, read)
		if f == nil {
			return result, nil
		}
		if err := r.pause(ctx, f, attempt); err != nil {
			return Result{}, fmt.Errorf("get %s: %w", bare(u), err)
		}
	}
}

// Bytes returns the file at req.URL, which is not the list but a page about it: its bytes are
// no progress of the list.
func Bytes(ctx context.Context, req *Request) (text []byte, err error) {
	_, err = Get(sources.WithProgress(ctx, nil), req, func(body io.Reader) (err error) {
		text, err = io.ReadAll(body)
		return err
	})
	return text, err
}

// bare returns u without its query and user, which may be secret.
func bare(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// try makes one attempt.
func (r *Request) try(whole context.Context, read func(io.Reader) error) (Result, *failure) {
	ctx, cancel := context.WithCancelCause(whole)
	defer cancel(nil)
	stall := time.AfterFunc(r.Stall, func() {
		cancel(fmt.Errorf("%w: nothing arrived for %v", ErrStalled, r.Stall))
	})
	defer stall.Stop()
	resp, err := r.send(ctx)
	stall.Stop()
	if err != nil {
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		return Result{}, &failure{Err: cause(ctx, err), Final: untrusted || errors.Is(err, errRedirect)}
	}
	defer resp.Body.Close()
	result := Result{ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified")}
	isConditional := r.ETag != "" || r.LastModified != ""
	switch status := resp.StatusCode; {
	case status == http.StatusOK:
		sent := &stream{r: resp.Body, ctx: ctx, stall: stall, timeout: r.Stall, total: resp.ContentLength, progress: sources.Progress(ctx)}
		return result, r.read(resp, sent, read)
	case status != http.StatusNotModified || !isConditional:
		isPassing := status >= 500 || status == http.StatusForbidden || status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
		return Result{}, &failure{Err: &StatusError{status}, Final: !isPassing, Wait: retryAfter(resp.Header)}
	case len(resp.Header.Values("ETag")) <= 1 && r.confirms(result):
		return Result{NotModified: true, ETag: r.ETag, LastModified: r.LastModified}, nil
	}
	r.ETag, r.LastModified = "", ""
	return r.try(whole, read)
}

// read passes the body of resp to the caller's function.
func (r *Request) read(resp *http.Response, sent *stream, read func(io.Reader) error) *failure {
	sent.progress(0, sent.total)
	in := io.Reader(sent)
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		in = unpack.Gunzip(sent, true)
	default:
		return &failure{Err: fmt.Errorf("content encoding %.32q, want gzip or none", encoding), Final: true}
	}
	body := unpack.Limit(in, r.MaxBytes)
	err := read(body)
	if err == nil {
		_, err = io.Copy(io.Discard, body) // a reader may stop early
	}
	switch {
	case sent.err != nil:
		return &failure{Err: sent.err}
	case err == nil:
		return nil
	}
	isCut := in != sent && errors.Is(err, io.ErrUnexpectedEOF) // maybe within gzip
	return &failure{Err: err, Final: !isCut && !errors.Is(err, ErrAgain), Wait: retryAfter(resp.Header)}
}

// A stream reads a body from the network. No read may take longer than timeout. It
// remembers the error that broke it off.
type stream struct {
	r       io.Reader
	ctx     context.Context // of this attempt; the stall timer ends it, too
	stall   *time.Timer
	timeout time.Duration
	n       int64 // bytes read
	err     error // never io.EOF

	total    int64 // bytes announced, or -1
	progress func(read, total int64)
}

func (s *stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	s.stall.Reset(s.timeout) // the caller's time between two reads does not count
	n, err := s.r.Read(p)
	s.stall.Stop()
	if s.n += int64(n); n > 0 {
		s.progress(s.n, s.total)
	}
	if err != nil && err != io.EOF {
		s.err = fmt.Errorf("body broke off after %d bytes: %w", s.n, cause(s.ctx, err))
		err = s.err
	}
	return n, err
}

// send makes the request.
func (r *Request) send(ctx context.Context) (*http.Response, error) {
	method := http.MethodGet
	if r.Body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("%w: malformed address", errRedirect)
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", UserAgent)
	req.Header.Set("Accept-Encoding", "gzip") // set here, the body stays compressed until its length is bounded
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.LastModified)
	}
	return r.client().Do(req)
}

// confirms reports whether a 304 with the validators of now confirms the copy whose
// validators r sent (RFC 9111, 4.3.4). An ETag must equal the ETag that was sent, by
// weak comparison. A Last-Modified must equal the Last-Modified that was sent, unless
// none was sent and the ETag matches. A 304 without validators confirms all that were sent.
func (r *Request) confirms(now Result) bool {
	if now.ETag != "" && (r.ETag == "" || strings.TrimPrefix(now.ETag, "W/") != strings.TrimPrefix(r.ETag, "W/")) {
		return false
	}
	return now.LastModified == "" || now.LastModified == r.LastModified || r.LastModified == "" && now.ETag != ""
}

// client returns the caller's client with the rules for redirects.
func (r *Request) client() *http.Client {
	c := *r.Client
	c.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		next.Header.Del("Referer") // the URL of a list may have a token in it
		switch {
		case r.Body != nil:
			return http.ErrUseLastResponse
		case len(via) > 10:
			return fmt.Errorf("%w more than 10 times", errRedirect)
		case next.URL.Scheme != "https" && !r.AllowHTTP:
			return fmt.Errorf("%w to an address that is not https", errRedirect)
		case isLogin(next.URL):
			return fmt.Errorf("%w to the login page of %s", errRedirect, next.URL.Host)
		case r.Client.CheckRedirect == nil:
			return nil
		}
		err := r.Client.CheckRedirect(next, via)
		if err != nil && err != http.ErrUseLastResponse {
			err = fmt.Errorf("%w: %w", errRedirect, err)
		}
		return err
	}
	return &c
}

// isLogin reports whether u is a page of EU Login or a similar service.
func isLogin(u *url.URL) bool {
	host, path := strings.ToLower(u.Hostname()), strings.ToLower(u.Path)
	return strings.HasPrefix(host, "ecas.") || strings.HasPrefix(host, "login.") ||
		strings.HasPrefix(path, "/cas/") || strings.HasSuffix(path, "/login")
}

// cause returns the error to report for err, of a request with ctx: the end of ctx if
// that is the reason, and never an error that names the last address.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var in *url.Error
	for errors.As(err, &in) {
		err = in.Err
	}
	if text := err.Error(); strings.Contains(text, "://") || strings.ContainsAny(text, "?=") {
		return errors.New("request failed; the cause names an address that may be signed, and is left out")
	}
	return err
}

// A failure says how an attempt failed.
type failure struct {
	Err   error
	Final bool          // another attempt would not help
	Wait  time.Duration // the least wait before the next attempt
}

// maxWait is the longest wait between two attempts, and the longest that a server may ask for.
const maxWait = 2 * time.Minute

// pause waits before the next attempt: about r.Backoff after the first one, and twice as long each time. If
// there is no next attempt, it returns an error, which wraps ctx.Err() or the error of f.
func (r *Request) pause(ctx context.Context, f *failure, attempt int) error {
	wait := r.Backoff << min(attempt-1, 8)
	wait = max(min(wait/2+rand.N(wait), maxWait), f.Wait)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case f.Final, attempt >= r.Attempts, wait > maxWait:
		return f.Err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w, after: %w", ctx.Err(), f.Err)
	}
}

// retryAfter returns the wait that the field Retry-After asks for, in seconds
// or as a date, and zero if there is none.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.ParseUint(v, 10, 32); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}
