package eu

import (
	"encoding/xml"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
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

// readFeed returns what the feed announces about the file at the address list, whose
// token does not matter. It returns the zero announcement if there is none, or if several disagree.
func readFeed(text []byte, list string) announcement {
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
	want, err := url.Parse(list)
	if err != nil || xml.Unmarshal(text, &feed) != nil {
		return announcement{}
	}
	isFile := func(address string) bool {
		u, err := url.Parse(strings.TrimSpace(address))
		return err == nil && u.Path == want.Path
	}
	var found []announcement
	for _, i := range feed.Items {
		if isFile(i.Link) || isFile(i.Enclosure.URL) {
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
