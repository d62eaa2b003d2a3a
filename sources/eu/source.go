package eu

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// listURL is the address of the list, with the token that the Commission gives to everyone.
const listURL = "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw"

// Options configure [New]; the zero Options are the defaults. URL is the address of the list,
// with its token; "" means the publisher's XML, some 26 MB, with the public token. The
// Commission gives personal tokens on registration. It must be https unless AllowHTTP is set.
// Client makes the requests; nil means http.DefaultClient. Its Timeout should be zero, or
// allow for the whole download.
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
// The ETag of the revision ends with the feed's checksum and the day of the download, unless the
// fetched file is older than the feed: it must have this checksum, or be generated later than
// the feed says. The checksum is trusted for one or two days; then Load fetches the list in any
// case, so that a feed that stands still hides no change.
func New(opts *Options) sources.Source {
	list := fetch.New("eu", info.EU, opts, listURL, maxBytes, nil)
	list.Request.Stall = stall
	return &source{list}
}

// A source is the list with its feed.
type source struct{ *fetch.Source }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	etag, feed, _ := strings.Cut(prev.ETag, feedSign)
	announced := askFeed(ctx, s.Request.Options)
	if prev.Digest != "" && announced.isHeld(feed) && ctx.Err() == nil {
		prev.Checked = time.Time{} // that is, now
		return prev, sources.ErrUnchanged
	}
	prev.ETag = etag
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
			rev.ETag += feedSign + announced.mark()
		}
	}
	return rev, err
}
