package eu

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// The addresses of the list, without the token that it requires, and of the feed that
// announces changes.
const (
	listURL = "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content"
	feedURL = "https://webgate.ec.europa.eu/fsd/fsf/public/rss"
)

// publicToken is the token that the Commission gives to everyone.
const publicToken = "dG9rZW4tMjAxNw"

// Options configure [New]. The zero Options are the defaults.
type Options struct {
	// URL is the address of the list, without a token; "" means the publisher's XML, some 26 MB. It
	// must be https, unless AllowHTTP is set. [Parse] describes the format.
	URL string
	// Token is sent with the request; "" means the public one for the publisher's URL, and none for
	// another URL. The Commission gives personal tokens on registration.
	Token string
	// RSS is the address of the feed with a checksum of the list; "" means the publisher's
	// feed for its own URL, and none for another one.
	RSS string
	// Client makes the requests; nil means http.DefaultClient. Its Timeout should be
	// zero, or allow for the whole download.
	Client *http.Client
	// AllowHTTP allows addresses that are not https, such as the address of a local mirror.
	AllowHTTP bool
}

// The limits of downloads. The XML had 26 MB in 2026.
const (
	maxBytes = 256 << 20
	maxFeed  = 1 << 20
)

// stall limits the time without a byte. The server generates the file on request,
// which has taken more than a minute.
const stall = 5 * time.Minute

// New returns the list as the Commission publishes it, with the id EU_CONSOLIDATED; see
// package sources.
//
// Load first asks the feed for the checksum of the file. If that is still the checksum of the
// revision held, Load returns [sources.ErrUnchanged] without fetching the list. A feed that
// fails is not an error: then Load fetches the list. A login page, and a redirect to one, is
// an error.
//
// The ETag of the revision ends with the feed's checksum and the day of the download, unless the
// fetched file is older than the feed: it must have this checksum, or be generated later than
// the feed says. The checksum is trusted for one or two days; then Load fetches the list in any
// case, so that a feed that stands still hides no change.
func New(opts *Options) sources.Source {
	s := &source{*cmp.Or(opts, &Options{})}
	if s.URL = cmp.Or(s.URL, listURL); s.URL == listURL {
		s.RSS, s.Token = cmp.Or(s.RSS, feedURL), cmp.Or(s.Token, publicToken)
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

type source struct{ Options } // URL includes the token

func (s *source) Info() sources.Info { return info.EU }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	etag, feed, _ := strings.Cut(prev.ETag, feedSign)
	announced := s.askFeed(ctx)
	if prev.Digest != "" && announced.isHeld(feed) && ctx.Err() == nil {
		prev.Checked = time.Time{} // that is, now
		return prev, sources.ErrUnchanged
	}
	prev.ETag = etag
	var l *document
	list := fetch.New("eu", info.EU, &fetch.Options{URL: s.URL, Client: s.Client, AllowHTTP: s.AllowHTTP}, "", maxBytes,
		func(body io.Reader, add func(sources.Entry) error) (_ sources.Revision, err error) {
			if l, err = readXML(body); err != nil {
				return sources.Revision{}, err
			}
			return l.Emit("entity", add)
		})
	list.Request.Stall = stall
	rev, err := list.Load(ctx, prev, add)
	if l != nil && rev.Digest != "" {
		rev.Published = l.Revision.Published // of the same list generated again
		if announced.isOf(l) {
			rev.ETag += feedSign + announced.mark()
		}
	}
	return rev, err
}

// askFeed returns the feed's announcement of the list, or nothing if there is none.
func (s *source) askFeed(ctx context.Context) announcement {
	if s.RSS == "" {
		return announcement{}
	}
	opts := fetch.Options{URL: s.RSS, Client: s.Client, AllowHTTP: s.AllowHTTP}
	text, err := fetch.Bytes(ctx, &fetch.Request{Options: opts, MaxBytes: maxFeed, Attempts: 1})
	if err != nil {
		return announcement{}
	}
	return readFeed(text, s.URL)
}
