package badlist

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
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

// isTagKey reports whether a YAML key is plain.
func isTagKey(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// A tagPack reads a TagPack: of YAML, a map of texts with a list of such maps in it. It does
// not read anchors, tags of YAML, and maps in braces, and says so where they matter.
type tagPack struct {
	*parser
	line      int64
	head, tag map[string]string
	in        map[string]string // the map that the line is in: head or tag; nil before the first field
	key       string            // the last field of the tag
	dash      int               // the indent of the list; -1 before its first tag
	indent    int               // of the fields of a tag; 0: not known yet
	marked    int               // tags with an abuse
}

// tagPack reads a TagPack from in.
func (p *parser) tagPack(in *bufio.Reader) error {
	t := tagPack{parser: p, head: make(map[string]string), dash: -1}
	t.in = t.head
	for {
		text, err := in.ReadSlice('\n')
		if err == io.EOF && len(text) == 0 {
			break
		}
		t.line++
		switch {
		case err == bufio.ErrBufferFull:
			err = fmt.Errorf("a line of more than %d bytes", csvscan.MaxLine)
		case err == nil || err == io.EOF:
			cut := err == io.EOF
			err = t.read(strings.TrimRight(string(text), " \t\r\n"))
			if err == nil && cut && (t.key == "address" || t.key == "abuse") {
				err = fmt.Errorf("the file ends within the line of the %s: it may have been cut: %w", t.key, io.ErrUnexpectedEOF)
			}
		}
		if err != nil {
			return t.at(err)
		}
	}
	if err := t.end(); err != nil {
		return t.at(err)
	}
	if t.dash < 0 {
		return t.at(errors.New("the TagPack has no tags"))
	}
	if t.marked == 0 {
		return fmt.Errorf("none of the %d tags has an abuse, so none is of a wrongdoer", p.records)
	}
	return nil
}

func (t *tagPack) at(err error) error {
	return &sources.RecordError{Line: t.line, Byte: -1, Err: err}
}

// read reads a line without its end.
func (t *tagPack) read(line string) error {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case text == "" || text[0] == '#' || line == "---" && len(t.head) == 0:
		return nil
	case text[0] == '\t':
		return errors.New("a tab before the text: YAML wants blanks")
	case indent == 0 && text[0] != '-':
		if t.dash >= 0 {
			return fmt.Errorf("%.40q behind the tags: want it before them", text)
		}
		return t.field(text)
	}
	if rest, ok := strings.CutPrefix(text, "-"); ok && t.listed() && (t.dash < 0 || indent == t.dash) {
		if rest != "" && rest[0] != ' ' {
			return fmt.Errorf("%.40q: want a tag", text)
		}
		if err := t.end(); err != nil {
			return err
		}
		t.tag = make(map[string]string)
		t.in, t.key, t.dash, t.indent = t.tag, "", indent, 0
		if text = strings.TrimLeft(rest, " "); text == "" || text[0] == '#' {
			return nil
		}
		indent = len(line) - len(text)
	}
	return t.inside(text, indent)
}

// listed reports whether the list of tags has begun.
func (t *tagPack) listed() bool {
	_, ok := t.head["tags"]
	return ok
}

// inside reads the text of a line in a tag, or of one that goes on in the head.
func (t *tagPack) inside(text string, indent int) error {
	switch {
	case t.tag == nil && t.listed():
		return fmt.Errorf("%.40q: want a tag, which begins with -", text)
	case t.tag != nil && t.indent == 0:
		t.indent = indent
		return t.field(text)
	case t.tag != nil && indent == t.indent && text[0] != '-':
		return t.field(text)
	case t.tag != nil && indent < t.indent:
		return fmt.Errorf("%.40q: want a tag, or a field of one", text)
	case slices.Contains(tagFields, t.key): // a text of several lines
		if t.key == "address" || t.key == "abuse" {
			return fmt.Errorf("%s: a text of several lines", t.key)
		}
		if len(t.in[t.key]) > maxCell {
			return fmt.Errorf("%s: a text of more than %d bytes", t.key, maxCell)
		}
		t.in[t.key] = strings.TrimSpace(t.in[t.key] + " " + text)
	}
	return nil
}

// field reads a line that begins with a field.
func (t *tagPack) field(text string) error {
	key, value, ok := strings.Cut(text, ":")
	if !ok || value != "" && value[0] != ' ' || !isTagKey(key) {
		return fmt.Errorf("%.40q: want a field, such as address: …", text)
	}
	if _, twice := t.in[key]; twice {
		return fmt.Errorf("the field %.40s twice", key)
	}
	t.key = key
	value = strings.TrimSpace(value)
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

// scalar returns the text of a YAML value.
func scalar(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	switch value[0] {
	case '\'':
		for i := 1; i < len(value); i++ {
			if value[i] != '\'' {
				continue
			}
			if i+1 < len(value) && value[i+1] == '\'' {
				i++
				continue
			}
			return strings.ReplaceAll(value[1:i], "''", "'"), behind(value[i+1:])
		}
		return "", errors.New("a text whose quote is not closed on its line")
	case '"':
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil {
			return "", errors.New("a text whose quote is not closed on its line")
		}
		text, err := strconv.Unquote(quoted)
		return text, cmp.Or(err, behind(value[len(quoted):]))
	case '&', '*', '!', '{', '[', '%', '@', '`':
		return "", fmt.Errorf("%.40q: want a text: anchors, maps and lists are not read here", value)
	case '|', '>':
		return "", nil // the text is below
	case '#':
		return "", nil
	}
	if i := strings.Index(value, " #"); i >= 0 {
		value = strings.TrimRight(value[:i], " ")
	}
	if value == "~" || value == "null" {
		value = ""
	}
	return value, nil
}

// behind returns an error if what stands behind a closing quote is not a comment.
func behind(rest string) error {
	if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
		return fmt.Errorf("%.40q behind a closing quote", rest)
	}
	return nil
}

// end adds the tag that has ended, if it has an abuse: tags without one are of other wallets,
// such as those that victims own.
func (t *tagPack) end() error {
	if t.tag == nil {
		return nil
	}
	get := func(key string) string {
		if v, ok := t.tag[key]; ok {
			return v
		}
		return t.head[key]
	}
	abuse := get("abuse")
	switch {
	case t.tag["address"] == "":
		return errors.New("a tag without an address")
	case len(get("source")) > maxListed:
		return fmt.Errorf("a source of %d bytes", len(get("source")))
	case abuse == "":
		t.records++
		return nil
	}
	t.marked++
	r := record{columnAddress: t.tag["address"], columnChain: cmp.Or(get("currency"), get("network")), columnName: get("label"),
		columnDate: get("lastmod"), columnRef: get("source")}
	return t.emitAs(r, cmp.Or(t.Kind, abuseKind(abuse)))
}

// abuseKind returns the kind of an abuse, a concept of GraphSense's taxonomy or words.
func abuseKind(abuse string) score.Kind {
	switch abuse {
	case "ponzi_scheme", "sextortion", "extortion", "blackmail", "giveaway", "pyramid_scheme", "investment", "hyip", "darkweb_scam":
		return score.Scam
	case "mixing_service", "coinjoin":
		return score.Mixer
	}
	return kindOf(strings.ReplaceAll(abuse, "_", " "))
}
