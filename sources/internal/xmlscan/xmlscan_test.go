package xmlscan_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

// tokens returns the tags and texts of the root element, one per line.
func tokens(r io.Reader) (string, error) {
	root, err := xmlscan.Tree(r)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	root.Write(&b)
	return b.String(), nil
}

var wellFormed = []struct{ name, doc, want string }{
	{"empty element", `<a/>`, "start a\nend a\n"},
	{"declaration", "<?xml version='1.0' encoding = \"UTF-8\" standalone='yes' ?>\r\n<a></a>\n", "start a\nend a\n"},
	{"byte order mark", "\xef\xbb\xbf<?xml version=\"1.0\"?><a/>", "start a\nend a\n"},
	{"nesting", `<a><b><c/></b ></a>`, "start a\nstart b\nstart c\nend c\nend b\nend a\n"},
	{"attributes", `<a x="1" y = 'it"s' z:w=""/>`, "start a x=\"1\" y=\"it\\\"s\"\nend a\n"},
	{"references", `<a x="&lt;&#65;&#x1F600;&quot;">&amp;&apos;&gt;&#xe9;</a>`, "start a x=\"<A😀\\\"\"\ntext \"&'>é\"\nend a\n"},
	{"prefix", `<n:a xmlns:n="u"><n:b/></n:a>`, "start a\nstart b\nend b\nend a\n"},
	{"CDATA", `<a>x<![CDATA[<&]]]><![CDATA[]]></a>`, "start a\ntext \"x<&]\"\nend a\n"},
	{"text around comments", `<a>x<!-- - > --><?p <a>?>y</a><!----><?q?>`, "start a\ntext \"xy\"\nend a\n"},
	{"line ends", "<a x='1\r\n2\r3'>1\r\n2\r3\n4&#13;</a>", "start a x=\"1\\n2\\n3\"\ntext \"1\\n2\\n3\\n4\\r\"\nend a\n"},
	{"brackets", `<a>]] ]> ] ></a>`, "start a\ntext \"]] ]> ] >\"\nend a\n"},
	{"beyond ASCII", "<a b='ü'>Żółć 漢字 😀</a>", "start a b=\"ü\"\ntext \"Żółć 漢字 😀\"\nend a\n"},
	{"mixed", `<a>1<b/>2<b>3</b>4</a>`, "start a\ntext \"1\"\nstart b\nend b\ntext \"2\"\nstart b\ntext \"3\"\nend b\ntext \"4\"\nend a\n"},
	{"blanks around", "\n\t <!-- c --> <a/> \r\n<!-- d -->\n", "start a\nend a\n"},
	{"blanks in tags", "<a\r\n\tb='1'\n/>", "start a b=\"1\"\nend a\n"},
}

var malformed = []struct{ name, doc string }{
	{"empty", ``},
	{"blank", " \n"},
	{"only a declaration", `<?xml version="1.0"?>`},
	{"text", `sorry`},
	{"text before the root", `x<a/>`},
	{"text behind the root", `<a/>x`},
	{"reference behind the root", `<a/>&amp;`},
	{"CDATA behind the root", `<a/><![CDATA[x]]>`},
	{"second root", `<a/><b/>`},
	{"end tag behind the root", `<a/></a>`},
	{"open element", `<a>`},
	{"open inner element", `<a><b></a>`},
	{"crossed", `<a><b></a></b>`},
	{"longer end tag", `<a></ab>`},
	{"shorter end tag", `<ab></a>`},
	{"end tag of another prefix", `<n:a></m:a>`},
	{"end tag with an attribute", `<a></a b="">`},
	{"cut in a tag", `<a`},
	{"cut in an end tag", `<a></a`},
	{"cut in an attribute", `<a b="`},
	{"cut in a text", `<a>x`},
	{"cut in a reference", `<a>&am`},
	{"cut in a comment", `<a><!-- `},
	{"cut in an instruction", `<a><?p `},
	{"cut in a CDATA section", `<a><![CDATA[x]]`},
	{"cut behind <!", `<a><!`},
	{"cut in a character", "<a>\xc3"},
	{"no name", `< a/>`},
	{"name of a digit", `<1/>`},
	{"name of two colons", `<a:b:c/>`},
	{"attribute without a value", `<a b/>`},
	{"attribute without quotes", `<a b=1/>`},
	{"< in an attribute", `<a b="<"/>`},
	{"unknown entity", `<a>&nbsp;</a>`},
	{"unknown entity in an attribute", `<a b="&nbsp;"/>`},
	{"bare ampersand", `<a>R & D</a>`},
	{"reference to NUL", `<a>&#0;</a>`},
	{"reference beyond Unicode", `<a>&#x110000;</a>`},
	{"reference without digits", `<a>&#x;</a>`},
	{"control character", "<a>\x01</a>"},
	{"control character in an attribute", "<a b='\x01'/>"},
	{"control character in CDATA", "<a><![CDATA[\x01]]></a>"},
	{"no UTF-8", "<a>\xff</a>"},
	{"surrogate in UTF-8", "<a>\xed\xa0\x80</a>"},
	{"U+FFFE", "<a>\uFFFE</a>"},
	{"]]> in text", `<a>]]></a>`},
	{"-- in a comment", `<a><!-- -- --></a>`},
	{"document type", `<!DOCTYPE a><a/>`},
	{"document type with entities", `<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`},
	{"document type of HTML", "<!doctype html>\n<html></html>"},
	{"latin-1", `<?xml version="1.0" encoding="iso-8859-1"?><a/>`},
	{"version 1.1", `<?xml version="1.1"?><a/>`},
	{"instruction without a target", `<a><? x?></a>`},
	{"slash in a tag", `<a / b="1">`},
	{"byte order mark inside", "<a/>\xef\xbb\xbf"},
}

func TestWellFormed(t *testing.T) {
	for _, tt := range wellFormed {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":         strings.NewReader(tt.doc),
				"byte by byte":  iotest.OneByteReader(strings.NewReader(tt.doc)),
				"data with EOF": iotest.DataErrReader(strings.NewReader(tt.doc)),
				"behind a big gap": io.MultiReader(strings.NewReader("<!--"+strings.Repeat("x", 64<<10-11)+"-->"), strings.NewReader(strings.TrimPrefix(tt.doc,
					"\xef\xbb\xbf"))),
			} {
				if how == "behind a big gap" && strings.Contains(tt.doc, "<?xml") {
					continue
				}
				got, err := tokens(r)
				if err != nil || got != tt.want {
					t.Errorf("%s: tokens of %q:\n%s%v\nwant:\n%s", how, tt.doc, got, err, tt.want)
				}
			}
		})
	}
}

// TestDocument reads records below the root and one element deeper, and none after an error.
func TestDocument(t *testing.T) {
	refused := errors.New("refused")
	for _, tt := range []struct{ doc, want string }{
		{`<a x="1"><b>1</b><c><d>2</d><e>3</e></c><f><b>4</b></f><b>5</b></a>`, "a 1 b1 d2 e3 b5 <nil>"},
		{`<a x=""><b>no</b><b>1</b></a>`, "a  bno refused"},
		{`<z/>`, "z  refused"},
		{`<a><b>1</b>`, "a  b1 byte 11: unexpected EOF"},
		{`<a><b>1</b></a><b/>`, "a  b1 byte 19: second root element"},
	} {
		s := xmlscan.New(strings.NewReader(tt.doc))
		var got []string
		read := func(n *xmlscan.Node) error {
			if got = append(got, n.Name+n.Text); n.Text == "no" {
				return refused
			}
			return nil
		}
		err := s.Document(func(root *xmlscan.Node) (map[string]func(*xmlscan.Node) error, error) {
			if got = append(got, root.Name, root.Attr("x")); root.Name == "z" {
				return nil, refused
			}
			return map[string]func(*xmlscan.Node) error{"b": read, "c/": read}, nil
		})
		if got := fmt.Sprint(strings.Join(got, " "), " ", err); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.doc, got, tt.want)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, tt := range malformed {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tokens(strings.NewReader(tt.doc))
			if err == nil {
				t.Fatalf("tokens of %q = %q, want an error", tt.doc, got)
			}
			var e *sources.RecordError
			if !errors.As(err, &e) || e.Byte < 0 || e.Byte > int64(len(tt.doc)) {
				t.Errorf("error of %q = %#v, want one with a place inside of the document", tt.doc, err)
			}
			// Skipped content is checked too.
			if err := skipAll(strings.NewReader(tt.doc)); err == nil {
				t.Errorf("skipping %q: no error", tt.doc)
			}
			if strings.HasPrefix(tt.name, "cut") && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error of %q = %v, want one that wraps io.ErrUnexpectedEOF", tt.doc, err)
			}
		})
	}
}

func skipAll(r io.Reader) error {
	return xmlscan.New(r).Document(func(*xmlscan.Node) (map[string]func(*xmlscan.Node) error, error) { return nil, nil })
}

// Every truncated document is refused.
func TestTruncated(t *testing.T) {
	for _, tt := range wellFormed {
		// Content after the end of the root element may be missing.
		doc := tt.doc[:strings.LastIndexByte(tt.doc, '>')+1]
		if i := strings.LastIndex(doc, "</a>"); i >= 0 {
			doc = doc[:i+len("</a>")]
		} else if i := strings.LastIndex(doc, "/>"); i >= 0 {
			doc = doc[:i+len("/>")]
		}
		for n := range len(doc) {
			if got, err := tokens(strings.NewReader(doc[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("tokens of %q = %q, %v, want io.ErrUnexpectedEOF", doc[:n], got, err)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }
	long := strings.Repeat("x", xmlscan.MaxToken-20)
	for _, tt := range []struct {
		name, doc string
		ok        bool
	}{
		{"depth", deep(xmlscan.MaxDepth), true},
		{"deeper", deep(xmlscan.MaxDepth + 1), false},
		{"long tag", "<a b='" + long + "'/>", true},
		{"longer tag", "<a b='" + long + long + "'/>", false},
		{"long text", "<a>" + long + "</a>", true},
		{"longer text", "<a>" + long + long + "</a>", false},
		{"longer text around a comment", "<a>" + long + "<!---->" + long + "</a>", false},
		{"long comment", "<a><!--" + long + "--></a>", true},
		{"longer comment", "<a><!--" + long + long + "--></a>", false},
		{"long instruction", "<a><?p " + long + long + "?></a>", false},
		{"long blanks in an end tag", "<a></a" + strings.Repeat(" ", 2*xmlscan.MaxToken) + ">", false},
		{"long name", "<" + long + long + "/>", false},
	} {
		if _, err := tokens(strings.NewReader(tt.doc)); (err == nil) != tt.ok {
			t.Errorf("%s: error %v, want one: %t", tt.name, err, !tt.ok)
		}
	}
	// Text that is skipped is bounded, too.
	if err := skipAll(strings.NewReader("<a>" + long + long + long + "</a>")); err == nil {
		t.Error("skipping a text beyond the limit: no error")
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken line")
	for n := range len("<a><b>text</b></a>") {
		r := io.MultiReader(strings.NewReader("<a><b>text</b></a>"[:n]), iotest.ErrReader(broken))
		if _, err := tokens(r); err != broken {
			t.Errorf("reader that breaks after %d bytes: error %v, want its own", n, err)
		}
	}
	// An error after the end of the root element is reported.
	if _, err := tokens(io.MultiReader(strings.NewReader("<a/>"), iotest.ErrReader(broken))); err != broken {
		t.Errorf("reader that breaks at the end: error %v, want its own", err)
	}
	if _, err := tokens(idle{}); err != io.ErrNoProgress {
		t.Errorf("reader that gives nothing: error %v, want io.ErrNoProgress", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestNode(t *testing.T) {
	doc := `<a><skip x="1" y="0123456789012345678901234">t<b><c/></b></skip><d n="&lt;">one<!-- -->two</d><e> </e><f>1<g>2</g>3<g><h>4</h></g></f></a>`
	root, err := xmlscan.Tree(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	s := xmlscan.New(strings.NewReader(doc))
	d, e, f := root.All("d")[0], root.All("e")[0], root.All("f")[0]
	if v := d.Attr("n") + d.Attr("m"); v != "<" {
		t.Errorf("attributes %q, want %q", v, "<")
	}
	if text, err := s.Content(d); text != "onetwo" || err != nil {
		t.Errorf("Content = %q, %v, want %q", text, err, "onetwo")
	}
	if text, err := s.Content(e); text != "" || err != nil {
		t.Errorf("Content of an empty element = %q, %v, want none", text, err)
	}
	if texts := root.Texts(); strings.Join(texts, " ") != "0123456789012345678901234 t onetwo 1 2 3 4" || len(f.All("g")) != 2 || len(f.All("", "h")) != 1 || len(f.All("h")) != 0 {
		t.Errorf("Texts = %q, elements %v", texts, f.Nodes)
	}
	if _, err := s.Fields(f, "x", "g"); err == nil || !strings.Contains(err.Error(), "two <g>") {
		t.Errorf("Fields with two elements of a name: %v", err)
	}
	if _, err := s.Content(f); err == nil {
		t.Error("Content of an element with elements: no error")
	}
	if err := s.Errorf("A1", "no %d", 1); err.Error() != `byte 0, record "A1": no 1` {
		t.Errorf("Errorf = %q", err)
	}
}

// TestStray passes on every text and attribute that is in no record.
func TestStray(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{`<a x="1">2<b y="no">no</b>3<c z="4">5<d>no</d>6</c>7<e v="8">9<f w="10">11</f></e></a><!-- -->`, "1 2 3 4 5 6 7 8 9 10 11 <nil>"},
		{`<a><b/>refused</a>`, `byte 14: refused`},
		{`<a x="refused"/>`, `byte 16: refused`},
	} {
		s := xmlscan.New(strings.NewReader(tt.doc))
		var got []string
		s.Stray = func(text string) error {
			if text == "refused" {
				return errors.New(text)
			}
			got = append(got, text)
			return nil
		}
		read := func(*xmlscan.Node) error { return nil }
		err := s.Document(func(*xmlscan.Node) (map[string]func(*xmlscan.Node) error, error) {
			return map[string]func(*xmlscan.Node) error{"b": read, "c/": read}, nil
		})
		if got := strings.TrimSpace(fmt.Sprint(strings.Join(got, " "), " ", err)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.doc, got, tt.want)
		}
	}
}

// TestLargeNode checks that an element that Node reads is bounded, and one that is skipped is
// not.
func TestLargeNode(t *testing.T) {
	part := "<b>" + strings.Repeat("0123456789", 1000) + "</b>"
	doc := "<a>" + strings.Repeat(part, xmlscan.MaxNode/len(part)+2) + "</a>"
	if _, err := xmlscan.Tree(strings.NewReader(doc)); err == nil {
		t.Error("no error")
	}
	if err := skipAll(strings.NewReader(doc)); err != nil {
		t.Error(err)
	}
}

// FuzzScan: a document is read alike at once and byte by byte, read and skipped, and no
// document is accepted that ends early.
func FuzzScan(f *testing.F) {
	for _, tt := range wellFormed {
		f.Add([]byte(tt.doc))
	}
	for _, tt := range malformed {
		f.Add([]byte(tt.doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, err := tokens(bytes.NewReader(doc))
		skipErr := skipAll(bytes.NewReader(doc))
		if (err == nil) != (skipErr == nil) {
			t.Fatalf("%q: read with error %v, skipped with error %v", doc, err, skipErr)
		}
		slow, slowErr := tokens(iotest.OneByteReader(bytes.NewReader(doc)))
		if slow != got || fmt.Sprint(slowErr) != fmt.Sprint(err) {
			t.Fatalf("%q: read at once:\n%s%v\nbyte by byte:\n%s%v", doc, got, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		end := bytes.LastIndexByte(bytes.TrimRight(doc, " \t\r\n"), '>')
		if _, err := tokens(bytes.NewReader(doc[:end])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%q without its end: %v, want io.ErrUnexpectedEOF", doc, err)
		}
	})
}
