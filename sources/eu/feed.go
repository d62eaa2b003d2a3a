package eu

import (
	"context"
	"encoding/xml"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// An announcement is what the feed says about a file.
type announcement struct {
	checksum  string    // 40 hex digits, or ""
	published time.Time // zero if unknown
}

// isOf reports whether l is the announced file or a later one. An older file must not be
// taken for it: it would count as current until the next change.
func (a announcement) isOf(l *document) bool {
	if a.checksum == "" {
		return false
	}
	return l.sha1 == a.checksum || !a.published.IsZero() && !l.Revision.Published.Before(a.published)
}

// feedSign stands before the mark of an announcement, at the end of an ETag.
const feedSign = " rss:"

// trust is the validity of a checksum, from the beginning of its day.
const trust = 48 * time.Hour

// mark stands for an announcement whose file is fetched now.
func (a announcement) mark() string {
	return a.checksum + "@" + time.Now().UTC().Format(time.DateOnly)
}

// isHeld reports whether mark was made for an announcement of the same file recently.
func (a announcement) isHeld(mark string) bool {
	day, ok := strings.CutPrefix(mark, a.checksum+"@")
	fetched, err := time.Parse(time.DateOnly, day)
	return ok && a.checksum != "" && err == nil && time.Since(fetched).Abs() < trust
}

// The paths of the list and of the feed that announces its changes, below the same directory.
const (
	listFile = "/files/xmlFullSanctionsList_1_1/content"
	feedFile = "/rss"
)

const maxFeed = 1 << 20

// askFeed returns what the feed beside a list announces about it. It returns the zero
// announcement if there is no feed, or none that can be read.
func askFeed(ctx context.Context, list fetch.Options) announcement {
	u, err := url.Parse(list.URL)
	if err != nil || !strings.HasSuffix(u.Path, listFile) {
		return announcement{}
	}
	u.Path, u.RawPath, u.RawQuery = strings.TrimSuffix(u.Path, listFile)+feedFile, "", ""
	list.URL = u.String()
	text, err := fetch.Bytes(ctx, &fetch.Request{Options: list, MaxBytes: maxFeed, Attempts: 1})
	if err != nil {
		return announcement{}
	}
	return readFeed(text)
}

// readFeed returns what a feed announces about the list. It returns the zero announcement if
// that is nothing, or if several items disagree.
func readFeed(text []byte) announcement {
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
	if xml.Unmarshal(text, &feed) != nil {
		return announcement{}
	}
	isList := func(address string) bool {
		u, err := url.Parse(strings.TrimSpace(address))
		return err == nil && strings.HasSuffix(u.Path, listFile)
	}
	var found []announcement
	for _, i := range feed.Items {
		if isList(i.Link) || isList(i.Enclosure.URL) {
			at, _ := mail.ParseDate(i.PubDate) // zero if it is none
			found = append(found, announcement{checksum(i.GUID), at.UTC()})
		}
	}
	if found = slices.Compact(found); len(found) != 1 {
		return announcement{}
	}
	return found[0]
}

var sum = regexp.MustCompile(`\b[0-9a-f]{40}\b`)

// checksum returns the only run of 40 hex digits in text, in lower case, or "".
func checksum(text string) string {
	sums := slices.Compact(sum.FindAllString(strings.ToLower(text), -1))
	if len(sums) != 1 {
		return ""
	}
	return sums[0]
}
