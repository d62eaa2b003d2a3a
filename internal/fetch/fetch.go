// Package fetch gets files from the web servers of list publishers, which are
// slow, move, and sometimes answer with something else.
package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// UserAgent is what requests say they come from unless they say otherwise. OFAC
// answers 403 to requests that name nothing, and for some days in July 2026 did
// to those whose name did not begin like a browser's or was short.
const UserAgent = "Mozilla/5.0 (compatible; walletscreen/0.1; +https://github.com/walletscreen/walletscreen)"

var (
	// ErrTooLarge: the body is larger than Request.MaxBytes, or compressed
	// beyond belief.
	ErrTooLarge = errors.New("body too large")
	// ErrStalled: no byte came for Request.Stall.
	ErrStalled = errors.New("stalled")
	// ErrDigest: the body is not the one whose SHA-256 the server has announced.
	ErrDigest = errors.New("body has another SHA-256 than was announced")

	errRedirect = errors.New("redirected")
)

// A StatusError is an answer that is no file.
type StatusError struct {
	Status int // the HTTP status code
}

func (e *StatusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("status %d %s", e.Status, http.StatusText(e.Status)))
}

// A Request says what to get. Only URL is required.
type Request struct {
	// URL is the address, https unless AllowHTTP is set.
	URL string
	// ETag and LastModified are the validators of the copy that is held. With
	// one of them the request is conditional.
	ETag, LastModified string

	// Client makes the requests; nil means http.DefaultClient. Its CheckRedirect
	// is asked besides the rules of this package.
	Client *http.Client
	// UserAgent stands for [UserAgent], if not empty.
	UserAgent string
	// MaxBytes bounds the body, uncompressed. Zero means 1 GiB.
	MaxBytes int64
	// Stall is how long to wait for the answer, and for each further byte. Zero
	// means a minute. There is no bound of the whole time but that of the
	// context.
	Stall time.Duration
	// Attempts is how often to try. Zero means 4.
	Attempts int
	// Backoff is about how long to wait before the second attempt; from then on
	// the time doubles. Zero means two seconds.
	Backoff time.Duration
	// AllowHTTP allows addresses that are not https: for tests.
	AllowHTTP bool
	// Progress, if not nil, is called as the body comes: when it begins, and with
	// each piece of it. read is how many bytes of it have come, as they are sent,
	// which may be compressed, and total how many it was announced to have, or -1.
	// Another attempt begins at zero. It must return soon.
	Progress func(read, total int64)
}

// A Result is what there is to know of an answer besides its body.
type Result struct {
	// NotModified reports whether the copy that is held is the current one.
	NotModified bool
	// ETag and LastModified are the validators of the current copy, or "".
	ETag, LastModified string
}

// maxWait is the longest time that a server may ask us to wait. One that asks
// for more is not asked again.
const maxWait = 2 * time.Minute

// Get gets the file at req.URL and calls read with its body, uncompressed,
// unless the copy that is held is current. It returns when read does. A body
// that ends before its announced length is an error, whatever read says, and so is
// one of another SHA-256 than the header announces, in a field Digest (RFC 3230),
// Repr-Digest or Content-Digest (RFC 9530), be it of the body as it is sent or of
// what it is uncompressed: what a proxy has cut shows in nothing else, if the list
// is one of lines.
//
// It tries again, after a while that has some chance in it, if the server cannot
// be reached, stalls, sends a body of another digest, or answers 408, 429, 5xx, or 403: the firewalls before the
// lists answer that, too, when they mean to be asked later. If a body breaks off
// it calls read again, with the new body from its beginning: read must be able to
// start over.
// An error of read itself is final, and returned as it is.
//
// Redirects are followed, ten at most, also to other hosts, but never from https
// to http. They may lead to addresses that are signed for us, and the address
// itself may hold a token: errors name its host and path only. They wrap
// ctx.Err(), [ErrTooLarge], [ErrStalled], [ErrDigest], a [*StatusError], or the cause.
func Get(ctx context.Context, req *Request, read func(body io.Reader) error) (Result, error) {
	r := *req
	if r.Client == nil {
		r.Client = http.DefaultClient
	}
	if r.UserAgent == "" {
		r.UserAgent = UserAgent
	}
	if r.MaxBytes == 0 {
		r.MaxBytes = 1 << 30
	}
	if r.Stall == 0 {
		r.Stall = time.Minute
	}
	if r.Attempts == 0 {
		r.Attempts = 4
	}
	if r.Backoff == 0 {
		r.Backoff = 2 * time.Second
	}
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return Result{}, errors.New("malformed address")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !r.AllowHTTP) {
		return Result{}, fmt.Errorf("get %s: scheme %q, want https", bare(u), u.Scheme)
	}
	for attempt := 1; ; attempt++ {
		result, f := r.try(ctx, read)
		if f == nil {
			return result, nil
		}
		if f.ofReader {
			return Result{}, f.err
		}
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("get %s: %w", bare(u), err)
		}
		wait := r.Backoff<<min(attempt-1, 8)/2 + rand.N(r.Backoff<<min(attempt-1, 8))
		wait = max(min(wait, maxWait), f.wait)
		if f.final || attempt >= r.Attempts || wait > maxWait {
			return Result{}, fmt.Errorf("get %s: %w", bare(u), f.err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return Result{}, fmt.Errorf("get %s: %w, after: %w", bare(u), ctx.Err(), f.err)
		}
	}
}

// bare returns u without what may be secret.
func bare(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// A failure is an attempt that came to nothing.
type failure struct {
	err      error
	final    bool          // another attempt would not help
	ofReader bool          // err is that of the caller's function
	wait     time.Duration // what the server asked for
}

// try makes one attempt.
func (r *Request) try(ctx context.Context, read func(io.Reader) error) (Result, *failure) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(r.Stall, func() {
		cancel(fmt.Errorf("%w: nothing came for %v", ErrStalled, r.Stall))
	})
	defer stall.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return Result{}, &failure{err: errors.New("malformed address"), final: true}
	}
	req.Header.Set("User-Agent", r.UserAgent)
	req.Header.Set("Accept-Encoding", "gzip") // said aloud, it is ours to undo, and to bound
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.LastModified)
	}
	resp, err := r.client().Do(req)
	stall.Stop()
	if err != nil {
		return Result{}, &failure{err: cause(ctx, err), final: isFinal(err)}
	}
	defer resp.Body.Close()

	result := Result{ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified")}
	switch code := resp.StatusCode; {
	case code == http.StatusNotModified && (r.ETag != "" || r.LastModified != ""):
		result.NotModified = true
		if result.ETag == "" {
			result.ETag = r.ETag
		}
		if result.LastModified == "" {
			result.LastModified = r.LastModified
		}
		return result, nil
	case isPassing(code):
		return Result{}, &failure{err: &StatusError{code}, wait: retryAfter(resp.Header.Get("Retry-After"))}
	case code != http.StatusOK:
		return Result{}, &failure{err: &StatusError{code}, final: true}
	}

	b := &body{r: resp.Body, ctx: ctx, stall: stall, timeout: r.Stall, total: resp.ContentLength, progress: r.Progress}
	b.tell()
	want := announced(resp.Header)
	if want != nil {
		b.sum = sha256.New()
	}
	limited := &limit{r: b, left: r.MaxBytes}
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if resp.ContentLength > r.MaxBytes {
			return Result{}, &failure{err: fmt.Errorf("%w: %d bytes", ErrTooLarge, resp.ContentLength), final: true}
		}
	case "gzip", "x-gzip":
		limited.r = &gunzip{raw: b}
		if want != nil {
			limited.sum = sha256.New()
		}
	default:
		return Result{}, &failure{err: fmt.Errorf("content encoding %.32q", encoding), final: true}
	}
	err = read(limited)
	if err == nil {
		_, err = io.Copy(io.Discard, limited) // a reader may stop early; the body may not
		if err != nil && b.err == nil {
			return Result{}, &failure{err: err, final: true}
		}
	}
	switch {
	case b.err != nil:
		return Result{}, &failure{err: b.err}
	case errors.Is(err, ErrTooLarge):
		return Result{}, &failure{err: err, final: true}
	case err != nil:
		return Result{}, &failure{err: err, ofReader: true}
	case want != nil && !is(b.sum, want) && !is(limited.sum, want):
		return Result{}, &failure{err: ErrDigest}
	}
	return result, nil
}

// announced returns the SHA-256 sums that a header says a body has. Those in
// another form than Base64 or hex are passed over, and so are other digests.
func announced(h http.Header) (sums [][]byte) {
	for _, name := range []string{"Digest", "Repr-Digest", "Content-Digest"} {
		for _, field := range h.Values(name) {
			for item := range strings.SplitSeq(field, ",") {
				algorithm, text, _ := strings.Cut(strings.TrimSpace(item), "=")
				if !strings.EqualFold(algorithm, "sha-256") {
					continue
				}
				text = strings.Trim(text, ":") // RFC 9530
				sum, err := hex.DecodeString(text)
				if err != nil {
					sum, err = base64.StdEncoding.DecodeString(text)
				}
				if err == nil && len(sum) == sha256.Size {
					sums = append(sums, sum)
				}
			}
		}
	}
	return sums
}

// is reports whether a sum is one of those that are wanted.
func is(sum hash.Hash, want [][]byte) bool {
	return sum != nil && slices.ContainsFunc(want, func(w []byte) bool { return bytes.Equal(w, sum.Sum(nil)) })
}

// isPassing reports whether an answer of that status may be another one a while
// later.
func isPassing(status int) bool {
	switch status {
	case http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// client returns the caller's client with the rules for redirects.
func (r *Request) client() *http.Client {
	c := *r.Client
	c.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if len(via) > 10 {
			return fmt.Errorf("%w more than 10 times", errRedirect)
		}
		if next.URL.Scheme != "https" && !r.AllowHTTP {
			return fmt.Errorf("%w to an address that is not https", errRedirect)
		}
		if r.Client.CheckRedirect != nil {
			return r.Client.CheckRedirect(next, via)
		}
		return nil
	}
	return &c
}

// isFinal reports whether a request that failed with err would fail again.
func isFinal(err error) bool {
	var untrusted *tls.CertificateVerificationError
	return errors.Is(err, errRedirect) || errors.As(err, &untrusted)
}

// cause returns what err, of a request with ctx, is to be called: the end of ctx
// if that is why, and never the address that was asked last.
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

// retryAfter reads the field of that name: seconds, or a date.
func retryAfter(v string) time.Duration {
	if n, err := strconv.ParseUint(v, 10, 32); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return time.Until(t)
	}
	return 0
}

// A body is the body of an answer. It lets no read take longer than timeout, and
// remembers how it broke off.
type body struct {
	r       io.Reader
	ctx     context.Context // of this one attempt, ended by the timer, too
	stall   *time.Timer
	timeout time.Duration
	n       int64 // bytes read
	err     error // never io.EOF

	sum      hash.Hash // of what was read, or nil
	total    int64     // bytes announced, or -1
	progress func(read, total int64)
}

// tell says how far the body has come to whom it may concern.
func (b *body) tell() {
	if b.progress != nil {
		b.progress(b.n, b.total)
	}
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	// The time that the caller takes between two reads is not the server's.
	b.stall.Reset(b.timeout)
	n, err := b.r.Read(p)
	b.stall.Stop()
	if b.n += int64(n); n > 0 {
		if b.sum != nil {
			b.sum.Write(p[:n])
		}
		b.tell()
	}
	if err != nil && err != io.EOF {
		b.err = fmt.Errorf("body broke off after %d bytes: %w", b.n, cause(b.ctx, err))
		err = b.err
	}
	return n, err
}

// gunzip uncompresses a body. The lists compress to a thirtieth; what claims to
// be beyond maxRatio is made to do harm.
type gunzip struct {
	raw *body
	z   *gzip.Reader
	n   int64
}

const maxRatio = 250

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.z == nil {
		if g.z, err = gzip.NewReader(g.raw); err == io.EOF {
			err = io.ErrUnexpectedEOF // no body is no gzip file
		}
		if err != nil {
			g.z = nil
			return 0, g.fail(err)
		}
	}
	n, err = g.z.Read(p)
	g.n += int64(n)
	if g.n > maxRatio*g.raw.n+1<<20 {
		return 0, fmt.Errorf("%w: %d bytes compressed to %d", ErrTooLarge, g.n, g.raw.n)
	}
	if err != nil && err != io.EOF {
		err = g.fail(err)
	}
	return n, err
}

// fail returns an error of the file within the body. One that is cut is as if the
// body had broken off.
func (g *gunzip) fail(err error) error {
	err = fmt.Errorf("gzip: %w", err)
	if g.raw.err == nil && errors.Is(err, io.ErrUnexpectedEOF) {
		g.raw.err = fmt.Errorf("body broke off after %d bytes: %w", g.raw.n, err)
	}
	return err
}

// limit lets no more than left bytes through.
type limit struct {
	r    io.Reader
	left int64
	sum  hash.Hash // of what was let through, or nil
}

func (l *limit) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fmt.Errorf("%w: more bytes than the limit", ErrTooLarge)
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if l.sum != nil {
		l.sum.Write(p[:n])
	}
	if l.left -= int64(n); l.left < 0 {
		return n - 1, fmt.Errorf("%w: more bytes than the limit", ErrTooLarge)
	}
	return n, err
}
