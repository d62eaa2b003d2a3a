package outbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Webhook posts messages as the specification Standard Webhooks 1.0 says: each with
// its ID, the time, and a signature over both and the body.
type Webhook struct {
	url    string
	secret []byte
	client *http.Client
	now    func() time.Time
}

// NewSecret returns a new secret of a webhook.
func NewSecret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return "whsec_" + base64.StdEncoding.EncodeToString(b)
}

// NewWebhook returns the webhook at a URL. The secret is of the form that NewSecret
// returns. The URL must be https, or http to a loopback IP address.
func NewWebhook(to, secret string) (*Webhook, error) {
	u, err := url.Parse(to)
	switch {
	case err != nil || u.Host == "":
		return nil, errors.New("want a URL such as https://example.com/hooks/walletscreen")
	case u.User != nil:
		return nil, errors.New("the URL has a user or a password; leave it out: the signature proves who posts")
	case u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())):
		return nil, fmt.Errorf("the URL begins with %s; want https, or http to this machine by its address, such as http://127.0.0.1:9000: a name, even localhost, may lead elsewhere", u.Scheme)
	}
	encoded, ok := strings.CutPrefix(strings.TrimSpace(secret), "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("the secret is not whsec_ and 24 to 64 bytes in base64")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = posts
	return &Webhook{
		url: to, secret: key, now: time.Now,
		client: &http.Client{
			Transport:     transport,
			Timeout:       15 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// IsLoopback reports whether a host is a loopback IP address. A name is not: even
// localhost leads wherever the resolver says.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// sign returns the signature of a message.
func (h *Webhook) sign(id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, h.secret)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// A RetryError is the error of a receiver that has said when it takes messages again.
type RetryError struct {
	Status string
	After  time.Duration
}

func (e *RetryError) Error() string {
	return fmt.Sprintf("the receiver answered %s, and to come again in %v", e.Status, e.After)
}

// Post posts a message once. Any status but 2xx is an error, a [*RetryError] if it is 429
// or 503 with a Retry-After in seconds.
func (h *Webhook) Post(ctx context.Context, m Message) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(m.Body))
	if err != nil {
		return errors.New("the request cannot be made")
	}
	timestamp := strconv.FormatInt(h.now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "walletscreen")
	r.Header.Set("webhook-id", m.ID)
	r.Header.Set("webhook-timestamp", timestamp)
	r.Header.Set("webhook-signature", h.sign(m.ID, timestamp, m.Body))
	answer, err := h.client.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL, which may hold a token
		}
		return err
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection is used again
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	switch {
	case answer.StatusCode/100 == 2:
		return nil
	case err == nil && seconds > 0 && seconds < 1<<20 && (answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable):
		return &RetryError{answer.Status, time.Duration(seconds) * time.Second}
	}
	return fmt.Errorf("the receiver answered %s", answer.Status)
}
