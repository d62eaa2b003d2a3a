package eu

import (
	"context"
	"encoding/xml"
	"io"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// listURL is the address of the list, with the token that the Commission gives to everyone.
const listURL = "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw"

// Options configure [New]; see package sources. URL is with the token; "" means the publisher's
// XML, some 26 MB, with the public token. The Commission gives personal ones on registration.
type Options = fetch.Options

// maxBytes limits the list. The XML had 26 MB in 2026.
const maxBytes = 256 << 20

// stall limits the time without a byte. The server generates the file on request,
// which has taken more than a minute.
const stall = 5 * time.Minute

// New returns the list as the Commission publishes it, with the id EU_CONSOLIDATED; see
// package sources.
//
// Load first asks the publisher's feed, or the feed of a mirror with the same paths, for the
// checksum of the file. If that is still the checksum of the revision held, Load returns
// [sources.ErrUnchanged] without fetching the list. A feed that fails is not an error: then
// Load fetches the list. A login page, and a redirect to one, is an error.
//
// The ETag of the revision ends with the feed's checksum, unless the fetched file is older than
// the feed: it must have this checksum, or be generated later than the feed says.
func New(opts *Options) sources.Source {
	list := fetch.New("eu", info.EU, opts, listURL, maxBytes, nil)
	list.Request.Stall = stall
	return &source{list}
}

// A source is the list with its feed.
type source struct{ *fetch.Source }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	etag, feed, hasFeed := strings.Cut(prev.ETag, feedSign)
	prev.ETag = etag
	announced := askFeed(ctx, s.Request.Options)
	if hasFeed && feed == announced.checksum && s.IsHeld(prev) && ctx.Err() == nil {
		prev.ETag, prev.Checked = etag+feedSign+feed, time.Time{} // that is, now
		return prev, sources.ErrUnchanged
	}
	var l *document
	list := *s.Source
	list.Parse = func(body io.Reader, add func(sources.Entry) error) (_ sources.Revision, err error) {
		if l, err = readXML(body); err != nil {
			return sources.Revision{}, err
		}
		return l.Emit("entity", add)
	}
	rev, err := list.Load(ctx, prev, add)
	if l != nil && rev.Digest != "" {
		rev.Published = l.Revision.Published // of the same list generated again
		if announced.isOf(l) {
			rev.ETag += feedSign + announced.checksum
		}
	}
	return rev, err
}

// An announcement is what the feed says about a file.
type announcement struct {
	checksum  string    // 40 hex digits, or ""
	published time.Time // zero if unknown
}

// isOf reports whether l is the announced file or a later one. An older file must not be
// taken for it: it would count as current until the next change.
func (a announcement) isOf(l *document) bool {
	return l.sha1 == a.checksum || !a.published.IsZero() && !l.Revision.Published.Before(a.published)
}

// feedSign stands before the checksum of an announcement, at the end of an ETag.
const feedSign = " rss:"

// The paths of the list and of the feed that announces its changes, below the same directory.
const (
	listFile = "/files/xmlFullSanctionsList_1_1/content"
	feedFile = "/rss"
)

const maxFeed = 1 << 20

// askFeed returns what the feed beside a list announces about it. It returns the zero
// announcement if there is no feed, or none that can be read, or if it says nothing certain.
func askFeed(ctx context.Context, list fetch.Options) (found announcement) {
	u, err := url.Parse(list.URL)
	if err != nil || !strings.HasSuffix(u.Path, listFile) {
		return found
	}
	u.Path, u.RawPath, u.RawQuery = strings.TrimSuffix(u.Path, listFile)+feedFile, "", ""
	list.URL = u.String()
	var feed struct {
		Items []struct { // files
			Link      string `xml:"link"` // https://…/xmlFullSanctionsList_1_1/content?token=…
			Enclosure struct {
				URL string `xml:"url,attr"` // the same
			} `xml:"enclosure"`
			GUID    string `xml:"guid"`    // with the SHA-1 in hex
			PubDate string `xml:"pubDate"` // Tue, 22 Sep 2026 20:01:34 +0200
		} `xml:"channel>item"`
	}
	text, err := fetch.Bytes(ctx, &fetch.Request{Options: list, MaxBytes: maxFeed, Attempts: 1})
	if err != nil || xml.Unmarshal(text, &feed) != nil {
		return found
	}
	for _, i := range feed.Items {
		if !strings.Contains(i.Link+" "+i.Enclosure.URL, listFile) {
			continue
		}
		at, _ := mail.ParseDate(i.PubDate) // zero if it is none
		sums := slices.Compact(sum.FindAllString(strings.ToLower(i.GUID), -1))
		if len(sums) != 1 || found.checksum != "" && found != (announcement{sums[0], at.UTC()}) {
			return announcement{} // several
		}
		found = announcement{sums[0], at.UTC()}
	}
	return found
}

var sum = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
