package eu

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// The addresses of the list in the formats that this package reads, without the
// token that they ask for, and of the feed that says when they change.
const (
	XML = "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content"
	CSV = "https://webgate.ec.europa.eu/fsd/fsf/public/files/csvFullSanctionsList_1_1/content"
	RSS = "https://webgate.ec.europa.eu/fsd/fsf/public/rss"
)

// PublicToken is the token that the Commission gives to everybody.
const PublicToken = "dG9rZW4tMjAxNw"

// Options are what [New] can be told. The zero Options are the defaults.
type Options struct {
	// URL is where the list is, without a token; "" means [XML], some 26 MB. It
	// must be https, unless AllowHTTP is set. Any format that [Parse] knows will do.
	URL string
	// Token is sent with the request of the list: "" means [PublicToken] for [XML]
	// and [CSV], and none for another URL. The Commission gives personal ones to
	// those who register.
	Token string
	// RSS is where the feed is that has a checksum of the list; "" means [RSS] for
	// [XML] and [CSV], and none for another URL.
	RSS string
	// Client makes the requests; nil means http.DefaultClient. Its Timeout should
	// be zero, or allow for the whole download: this package bounds the time
	// without progress, and the context of Load bounds the rest.
	Client *http.Client
	// UserAgent is what requests say they come from, if not "".
	UserAgent string
	// AllowHTTP allows addresses that are not https: for a mirror of one's own.
	AllowHTTP bool
	// Progress, if not nil, is called as the list is downloaded: read is how many
	// bytes have come, as they are sent, and total how many were announced, or -1.
	// A download that is repeated begins at zero; so that a program can draw a bar.
	Progress func(read, total int64)
}

// The bounds of what is downloaded. The XML had 26 MB in 2026.
const (
	maxBytes = 256 << 20
	maxFeed  = 1 << 20
)

// stall is how long the server may say nothing. It makes the file while one
// waits, which has taken more than a minute.
const stall = 5 * time.Minute

// New returns the list, under the id EU_CONSOLIDATED, as the Commission publishes
// it. opts may be nil; what is wrong in it, a URL that is not https for one, is the
// error of Load.
//
// Load first asks the feed, which has a checksum of each file. If that is still
// the one of the revision held, Load returns [sources.ErrUnchanged] and does not
// fetch the list. A feed that does not answer, or not with what is expected, is
// no error: then the list is fetched, with a conditional request if it came with
// validators. Load reads it as [Parse] does: it adds entries only after the whole
// list was read. A list whose digest is that of the revision held is
// [sources.ErrUnchanged], too.
//
// The feed's checksum is kept as the ETag of the revision, as "rss:", the
// checksum, "@" and the day of the download. It is kept only if the file that was
// fetched is known not to be older than the feed: if it is the file with this
// checksum, or was generated later than the feed says. And it is trusted for one
// or two days; then the list is fetched whatever the feed says, for a feed that
// stands still must not hide what has changed.
//
// Requests that fail in a way that may pass, and downloads that break off, are
// repeated a few times. A redirect to a page where one must log in is an error,
// as is such a page itself.
func New(opts *Options) sources.Source {
	s := &source{}
	if opts != nil {
		s.Options = *opts
	}
	s.URL, s.Client = cmp.Or(s.URL, XML), cmp.Or(s.Client, http.DefaultClient)
	if s.URL == XML || s.URL == CSV {
		s.RSS, s.Token = cmp.Or(s.RSS, RSS), cmp.Or(s.Token, PublicToken)
	}
	if s.Token != "" {
		mark := "?"
		if strings.Contains(s.URL, "?") {
			mark = "&"
		}
		s.URL += mark + "token=" + url.QueryEscape(s.Token)
	}
	return s
}

type source struct{ Options } // whose URL has the token

func (s *source) Info() sources.Info {
	return sources.Info{
		ID:           "EU_CONSOLIDATED",
		Name:         "EU consolidated list of persons, groups and entities subject to financial sanctions",
		Jurisdiction: sources.EU,
		Licence:      "Commission Decision 2011/833/EU (reuse with acknowledgement of the source)",
		Attribution:  "© European Union. Only the legal acts printed in the Official Journal of the European Union are authentic.",
	}
}

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := s.load(ctx, prev, add)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("eu: %w", err)
	}
	return rev, err
}

func (s *source) load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if prev.Digest == "" {
		prev = sources.Revision{} // validators of no list that is held
	}
	announced, err := s.askFeed(ctx)
	if err != nil {
		return sources.Revision{}, err
	}
	if announced.isHeld(prev.ETag) {
		prev.Checked = time.Time{} // that is, now
		return prev, sources.ErrUnchanged
	}
	req := s.request(s.URL, maxBytes)
	req.Progress = s.Progress
	if req.LastModified = prev.LastModified; !strings.HasPrefix(prev.ETag, etagOfFeed) {
		req.ETag = prev.ETag
	}
	var l *list
	result, err := s.get(ctx, req, func(body io.Reader) (err error) {
		l, err = read(body)
		return err
	})
	if err != nil {
		return sources.Revision{}, err
	}
	revision := prev
	if !result.NotModified {
		revision = l.Revision
	}
	if result.ETag != "" {
		revision.ETag = result.ETag
	}
	if !result.NotModified && announced.isOf(l) {
		revision.ETag = announced.etag()
	}
	revision.LastModified = result.LastModified
	if result.NotModified || revision.Digest == prev.Digest {
		revision.Checked = time.Time{}
		return revision, sources.ErrUnchanged
	}
	_, err = l.Emit("entity", func(e sources.Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return add(e)
	})
	if err != nil {
		return sources.Revision{}, err
	}
	return revision, nil
}

func (s *source) request(url string, limit int64) *fetch.Request {
	return &fetch.Request{URL: url, Client: s.Client, UserAgent: s.UserAgent, MaxBytes: limit, Stall: stall, AllowHTTP: s.AllowHTTP}
}

// get is fetch.Get, but that a redirect to a login page is not followed.
func (s *source) get(ctx context.Context, req *fetch.Request, read func(io.Reader) error) (fetch.Result, error) {
	client := *req.Client
	var login string
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if isLogin(next.URL) {
			login = next.URL.Host
			return http.ErrUseLastResponse
		}
		if req.Client.CheckRedirect != nil {
			return req.Client.CheckRedirect(next, via)
		}
		return nil
	}
	r := *req
	r.Client = &client
	result, err := fetch.Get(ctx, &r, read)
	if err != nil && login != "" {
		err = fmt.Errorf("redirected to the login page of %s: %w", login, err)
	}
	return result, err
}

// isLogin reports whether u is a page of EU Login, or of another such service.
func isLogin(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	path := strings.ToLower(u.Path)
	return strings.HasPrefix(host, "ecas.") || strings.HasPrefix(host, "login.") ||
		strings.HasPrefix(path, "/cas/") || strings.HasSuffix(path, "/login")
}

// askFeed returns what the feed says about the list, and nothing if it does not
// say it. Its error is that of ctx.
func (s *source) askFeed(ctx context.Context) (announcement, error) {
	if s.RSS == "" {
		return announcement{}, ctx.Err()
	}
	req := s.request(s.RSS, maxFeed)
	req.Stall, req.Attempts = time.Minute, 1
	var a announcement
	_, err := s.get(ctx, req, func(body io.Reader) (err error) {
		a, err = readFeed(body, s.URL)
		return err
	})
	if ctx.Err() != nil {
		return announcement{}, ctx.Err()
	}
	if err != nil {
		return announcement{}, nil
	}
	return a, nil
}
