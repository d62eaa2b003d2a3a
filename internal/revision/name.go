package revision

import (
	"strings"
	"time"
)

const (
	// Suffix ends the name of a file.
	Suffix = ".rev"
	// StampForm is the form of a time in names and in the journal. Times sort as texts.
	StampForm = "20060102T150405.000000000Z"
	// ShortDigest is the number of digits of a digest in a reference of the journal.
	ShortDigest = 16
	// WholeName is the name of the file that exists unless events were lost: a program
	// that cannot append to the journal deletes it, because even a full disk allows that,
	// and the next program that can append notes a gap.
	WholeName  = "journal.whole"
	digestSize = 64
)

// Name returns the name of the file of a revision, such as
// OFAC_SDN-20261121T045729.123456789Z-36c5…c117.rev: the ID of the source, the time at
// which the list was accepted, and its digest.
func Name(source string, accepted time.Time, digest string) string {
	return source + "-" + accepted.UTC().Format(StampForm) + "-" + digest + Suffix
}

// ParseName returns the parts of a name made by [Name]. It reports false for all other names.
func ParseName(name string) (source string, accepted time.Time, digest string, ok bool) {
	source, rest, ok := strings.Cut(name, "-")
	if !ok || len(rest) != len(StampForm)+1+digestSize+len(Suffix) ||
		source == "" || len(source) > 64 || strings.Trim(source, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return "", time.Time{}, "", false
	}
	digest = rest[len(StampForm)+1 : len(StampForm)+1+digestSize]
	accepted, err := time.Parse(StampForm, rest[:len(StampForm)])
	if err != nil || strings.Trim(digest, "0123456789abcdef") != "" || Name(source, accepted, digest) != name {
		return "", time.Time{}, "", false
	}
	return source, accepted, digest, true
}
