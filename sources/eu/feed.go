package eu

import (
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

// An announcement is what the feed says about a file.
type announcement struct {
	checksum  string    // 40 hex digits, or ""
	published time.Time // zero if unknown
}

// isOf reports whether l is the announced file or a later one. An older file must not be
// taken for it: it would count as current until the next change.
func (a announcement) isOf(l *list) bool {
	if a.checksum == "" {
		return false
	}
	return l.sha1 == a.checksum || !a.published.IsZero() && !l.Revision.Published.Before(a.published)
}

const (
	// etagOfFeed begins an ETag that holds a checksum of the feed. HTTP's begin with a
	// quotation mark or "W/".
	etagOfFeed = "rss:"
	// trust is the validity of a checksum, from the beginning of its day.
	trust = 48 * time.Hour
)

// etag returns the ETag to keep for an announcement whose file is fetched now.
func (a announcement) etag() string {
	return etagOfFeed + a.checksum + "@" + time.Now().UTC().Format(time.DateOnly)
}

// isHeld reports whether etag was kept for an announcement of the same file recently.
func (a announcement) isHeld(etag string) bool {
	day, ok := strings.CutPrefix(etag, etagOfFeed+a.checksum+"@")
	if !ok || a.checksum == "" {
		return false
	}
	fetched, err := time.Parse(time.DateOnly, day)
	age := time.Since(fetched)
	return err == nil && age < trust && age > -trust
}

// readFeed returns what the feed announces about the file at the address list, whose
// token does not matter. It reads these parts:
//
//	<rss>
//	  <channel>
//	    <item>
//	      <link>https://…/xmlFullSanctionsList_1_1/content?token=…</link>
//	      <enclosure url="…"/>                   the same
//	      <guid>…</guid>                         with the SHA-1 in hex
//	      <pubDate>Tue, 22 Sep 2026 20:01:34 +0200</pubDate>
//
// It returns the zero announcement if there is none, or if several disagree.
func readFeed(r io.Reader, list string) (announcement, error) {
	want, err := url.Parse(list)
	if err != nil {
		return announcement{}, err
	}
	s := xmlscan.New(r)
	var found announcement
	items := 0
	channel := func(n *xmlscan.Node) error {
		for _, item := range n.All("item") {
			a, ok, err := announced(s, item, want.Path)
			if err != nil {
				return err
			}
			if ok {
				if items++; items > 1 && a != found {
					a = announcement{}
				}
				found = a
			}
		}
		return nil
	}
	err = s.Document(func() (map[string]func(*xmlscan.Node) error, error) {
		return map[string]func(*xmlscan.Node) error{"channel": channel}, nil
	})
	if err != nil {
		return announcement{}, err
	}
	return found, nil
}

// announced reads an item of the feed. ok reports whether its file has the given path.
func announced(s *xmlscan.Scanner, item *xmlscan.Node, path string) (a announcement, ok bool, err error) {
	isFile := func(address string) bool {
		u, err := url.Parse(strings.TrimSpace(address))
		return err == nil && u.Path == path
	}
	f, err := s.Fields(item, "link", "guid", "pubDate")
	if err != nil {
		return a, false, err
	}
	ok = isFile(f[0])
	for _, file := range item.All("enclosure") {
		ok = ok || isFile(file.Attr("url"))
	}
	return announcement{checksum(f[1]), feedTime(f[2])}, ok, nil
}

// checksum returns the only run of 40 hex digits in text, in lower case, or "".
func checksum(text string) string {
	var found string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		if len(word) != 40 || strings.Trim(word, "0123456789abcdef") != "" {
			continue
		}
		if found != "" && found != word {
			return ""
		}
		found = word
	}
	return found
}

// feedTime reads a time of RFC 822, with a year of four digits.
func feedTime(text string) time.Time {
	for _, layout := range []string{time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST"} {
		t, err := time.Parse(layout, text)
		if _, offset := t.Zone(); err == nil && (offset != 0 || strings.HasSuffix(text, "GMT") || strings.HasSuffix(text, "UTC") || strings.HasSuffix(text, "Z") || strings.HasSuffix(text, "0000")) {
			return t.UTC()
		}
	}
	return time.Time{}
}
