package badlist

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
)

// tagFields are the fields of a tag that are read. A field in the head holds for each tag
// that does not have it.
var tagFields = []string{"address", "currency", "network", "label", "lastmod", "source", "abuse"}

// isTagPack reports whether text, the beginning of a file, is a TagPack: it has the field that
// begins the list of tags.
func isTagPack(text []byte) bool {
	return bytes.HasPrefix(text, []byte("tags:")) || bytes.Contains(text, []byte("\ntags:"))
}

// tagField matches a field of a map in YAML whose name is plain.
var tagField = regexp.MustCompile(`^([a-zA-Z0-9_-]+):(?: +(.*))?$`)

// A tagPack reads a TagPack: of YAML, a map of texts with a list of such maps in it. It does
// not read anchors, tags of YAML, and maps in braces, and says so where they matter.
type tagPack struct {
	*parser
	head, tag map[string]string
	in        map[string]string // the map that the line is in: head or tag
	key       string            // its last field
	indent    int               // of its fields; -1: not known yet
	dash      int               // the indent of the list; -1 before its first tag
	marked    int               // tags with an abuse
}

// tagPack reads a TagPack from in.
func (p *parser) tagPack(in *bufio.Reader) error {
	t := tagPack{parser: p, head: make(map[string]string), dash: -1}
	t.in = t.head
	last := int64(0)
	err := csvscan.Lines(in, func(line int64, text string, hasEnd bool) error {
		last = line
		err := t.read(strings.TrimRight(text, " \t\r"))
		if err == nil && !hasEnd && (t.key == "address" || t.key == "abuse") {
			err = fmt.Errorf("the file ends within the line of the %s: it may have been cut: %w", t.key, io.ErrUnexpectedEOF)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err = t.end(); err == nil && t.dash < 0 {
		err = errors.New("the TagPack has no tags")
	}
	if err != nil {
		return &sources.RecordError{Line: last, Byte: -1, Err: err}
	}
	if t.marked == 0 {
		return fmt.Errorf("none of the %d tags has an abuse, so none is of a wrongdoer", p.records)
	}
	return nil
}

// read reads a line without its end.
func (t *tagPack) read(line string) error {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	_, listed := t.head["tags"]
	rest, dashed := strings.CutPrefix(text, "-")
	switch {
	case text == "" || text[0] == '#' || line == "---" && len(t.head) == 0:
		return nil
	case text[0] == '\t':
		return errors.New("a tab before the text: YAML wants blanks")
	case listed && dashed && (t.dash < 0 || indent == t.dash):
		if rest != "" && rest[0] != ' ' {
			return fmt.Errorf("%.40q: want a tag", text)
		}
		if err := t.end(); err != nil {
			return err
		}
		t.tag = make(map[string]string)
		t.in, t.key, t.indent, t.dash = t.tag, "", -1, indent
		return t.read(line[:indent] + " " + rest)
	case listed && t.dash < 0:
		return fmt.Errorf("%.40q: want a tag, which begins with -", text)
	case t.indent < 0:
		t.indent = indent
	}
	switch {
	case indent < t.indent:
		return fmt.Errorf("%.40q: want a tag, or a field of one", text)
	case indent == t.indent && !dashed:
		return t.field(text)
	}
	return t.more(text)
}

// more reads a line that goes on with the last field.
func (t *tagPack) more(text string) error {
	switch {
	case !slices.Contains(tagFields, t.key):
		return nil
	case t.key == "address" || t.key == "abuse":
		return fmt.Errorf("%s: a text of several lines", t.key)
	case len(t.in[t.key]) > maxItem:
		return fmt.Errorf("%s: a text of more than %d bytes", t.key, maxItem)
	}
	t.in[t.key] = strings.TrimSpace(t.in[t.key] + " " + text)
	return nil
}

// field reads a line that begins with a field.
func (t *tagPack) field(text string) error {
	m := tagField.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%.40q: want a field, such as address: …", text)
	}
	key, value := m[1], m[2]
	if _, twice := t.in[key]; twice {
		return fmt.Errorf("the field %.40s twice", key)
	}
	t.key = key
	if key == "tags" && t.tag == nil && value != "" && value[0] != '#' {
		return errors.New("tags: want a list with one tag below another")
	}
	if !slices.Contains(tagFields, key) {
		t.in[key] = ""
		return nil
	}
	value, err := scalar(value)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	t.in[key] = value
	return nil
}

// quoted matches a text in quotes of either kind, and a comment behind it.
var quoted = regexp.MustCompile(`^(?:'((?:[^']|'')*)'|("(?:[^"\\]|\\.)*"))\s*(?:#.*)?$`)

// scalar returns the text of a YAML value.
func scalar(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	switch value[0] {
	case '\'', '"':
		m := quoted.FindStringSubmatch(value)
		switch {
		case m == nil:
			return "", errors.New("a text whose quote is not closed on its line, or more behind it")
		case m[2] != "":
			return strconv.Unquote(m[2])
		}
		return strings.ReplaceAll(m[1], "''", "'"), nil
	case '&', '*', '!', '{', '[', '%', '@', '`':
		return "", fmt.Errorf("%.40q: want a text: anchors, maps and lists are not read here", value)
	case '|', '>', '#': // the text is below, or there is none
		return "", nil
	}
	value, _, _ = strings.Cut(value, " #")
	if value = strings.TrimRight(value, " "); value == "~" || value == "null" {
		value = ""
	}
	return value, nil
}

// end adds the tag that has ended, if it has an abuse: tags without one are of other wallets,
// such as those that victims own.
func (t *tagPack) end() error {
	if t.tag == nil {
		return nil
	}
	f := maps.Clone(t.head)
	maps.Copy(f, t.tag)
	switch {
	case t.tag["address"] == "":
		return errors.New("a tag without an address")
	case f["abuse"] == "":
		t.records++
		return nil
	}
	t.marked++
	return t.emit(record{columnAddress: f["address"], columnChain: cmp.Or(f["currency"], f["network"]), columnName: f["label"],
		columnDate: f["lastmod"], columnRef: f["source"], columnKind: string(abuseKind(f["abuse"]))})
}

// abuseKind returns the kind of an abuse, a concept of GraphSense's taxonomy or words.
func abuseKind(abuse string) score.Kind {
	switch abuse {
	case "ponzi_scheme", "sextortion", "extortion", "blackmail", "giveaway", "pyramid_scheme", "investment", "hyip", "darkweb_scam":
		return score.Scam
	case "mixing_service", "coinjoin":
		return score.Mixer
	}
	return record{columnKind: abuse}.kind()
}
