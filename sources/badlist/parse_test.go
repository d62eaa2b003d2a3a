package badlist_test

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

const darklistFile = "testdata/addresses-darklist.json"

// parse returns everything that Parse yields for r.
func parse(r io.Reader) ([]sources.Entry, sources.Revision, error) {
	var entries []sources.Entry
	rev, err := badlist.Parse(r, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, rev, err
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

func TestParseDarklist(t *testing.T) {
	entries, rev, err := parse(strings.NewReader(readFile(t, darklistFile)))
	if err != nil {
		t.Fatal(err)
	}
	want := sources.Revision{Digest: "c662f67460b8fa5f1d76ba8f014ab2b6749781b6aca11f9cbeda7397cbf0f3e7", Records: 693}
	if rev != want {
		t.Errorf("revision %+v, want %+v", rev, want)
	}
	if len(entries) != 693 {
		t.Fatalf("%d entries, want 693", len(entries))
	}
	addresses := map[address.Address]bool{}
	kinds := map[score.Kind]int{}
	var listed, undated int
	for _, e := range entries {
		if e.Address.IsValid() {
			listed++
			addresses[e.Address] = true
		}
		if e.ListedAt.IsZero() {
			undated++
		} else if e.ListedAt.Before(date(2017, 6, 1)) || e.ListedAt.After(date(2018, 11, 6)) {
			t.Errorf("%q: ListedAt = %v, want a day between June 2017 and 6 November 2018", e.Listed, e.ListedAt)
		}
		kinds[e.Kind]++
		if e.Ref != "addresses-darklist" || e.Asset != "" || !e.FirstSeen.IsZero() {
			t.Errorf("%q: Ref %q, Asset %q, FirstSeen %v, want the list's name and no more", e.Listed, e.Ref, e.Asset, e.FirstSeen)
		}
	}
	if listed != 692 || len(addresses) != 629 || undated != 23 {
		t.Errorf("%d addresses, %d of them distinct, %d entries without a date, want 692, 629, 23", listed, len(addresses), undated)
	}
	wantKinds := map[score.Kind]int{score.CommunityReport: 256, score.Scam: 376, score.Phishing: 51, score.StolenFunds: 10}
	for _, k := range score.Latest().Kinds() {
		if kinds[k] != wantKinds[k] {
			t.Errorf("%d entries of kind %s, want %d", kinds[k], k, wantKinds[k])
		}
	}

	evm := func(s string) address.Address {
		a, err := address.Normalize("ethereum", s)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, want := range []sources.Entry{
		{ // the first
			Address: evm("0xF193a9aFb00715AaCF7ca9Ebffafe02C77517C2E"), Listed: "0xF193a9aFb00715AaCF7ca9Ebffafe02C77517C2E",
			Kind: score.Scam, Name: "Fake copy of ROCK2PAY token", ListedAt: date(2018, 11, 6),
		},
		{ // the last
			Address: evm("0xDdd6854A002A6fbcDF695385cD5ed630c9E27C3e"), Listed: "0xDdd6854A002A6fbcDF695385cD5ed630c9E27C3e",
			Kind: score.Scam, Name: "Scam address contacted Trust Wallet users in Telegram group depicting admin image and username", ListedAt: date(2018, 10, 25),
		},
		{ // a digit short
			Listed: "0x9CdfC5b0ACA4527a0916412E9dbD6AD85556A49",
			Kind:   score.Scam, Name: "Fake Dock crowdsale site", ListedAt: date(2018, 3, 12),
		},
		{ // a trailing blank, and a date of the United States
			Address: evm("0x00e01a648ff41346cdeb873182383333d2184dd1"), Listed: "0x00e01a648ff41346cdeb873182383333d2184dd1 ",
			Kind: score.Phishing, Name: "PHISH_Scambots_15 (Phishing2)", ListedAt: date(2017, 7, 22),
		},
	} {
		want.Ref = "addresses-darklist"
		if !slices.Contains(entries, want) {
			t.Errorf("there is no entry %+v", want)
		}
	}
}

// TestKind uses comments of the real list, and some that it could have.
func TestKind(t *testing.T) {
	tests := []struct {
		comment string
		want    score.Kind
	}{
		{"", score.CommunityReport},
		{"  ", score.CommunityReport},
		{"change bank dot org site", score.CommunityReport},
		{"malicious - same as vaporychest", score.CommunityReport},
		{"Trust trading 0.1VAP for 2VAP", score.CommunityReport},
		{"slackbot / reddit dms. did not 404.", score.CommunityReport},
		{"Pretending to be Poloniex support on Vaporscan Disqus (username: @poloniex) - asking for VAP to speed up support queries", score.CommunityReport},

		{"PHISH_Scambots_1", score.Phishing},
		{"scambot phishers. did not 404.", score.Phishing},
		{"Atlant phishing - atlant.solutions", score.Phishing},
		{"Phishing - Fake Beetoken email blast after Beetoken email directory was hacked.", score.Phishing},
		{"Fake kyber crowdsale site - Slack dm by phisher", score.Phishing},

		{"FAKE_TenX_1", score.Scam},
		{"Fake MEW", score.Scam},
		{"fake ICO address for 0x via Slack Bot / DM.", score.Scam},
		{"Fake blender, does not send to your destination address", score.Scam},
		{"Trust-Trading scam", score.Scam},
		{"Scam (GNT, DNT, etc)", score.Scam},
		{"BitJob token sale scam site.", score.Scam},
		{"fraudulent", score.Scam},
		{"Fake Docai crowdsale site - see https://github.com/MetaMask/vap-phishing-detect/issues/1078", score.Scam},
		{"fake mixer", score.Scam},

		{"WannaCry ransomware", score.Ransomware},

		{"MultiSigExploit-Hacker_main_2_g-??", score.StolenFunds},
		{"Comments on Vaporscan are reporting funds being stolen and ending up at this address.", score.StolenFunds},
		{"Bithumb hack", score.StolenFunds},
		{"hackathon", score.CommunityReport},

		{"a Bitcoin mixer", score.Mixer},
		{"concrete mixers", score.Mixer},
		{"sourced from scamlist.example, see https://fake.example/phishing", score.CommunityReport},
	}
	for _, tt := range tests {
		entries, _, err := parse(strings.NewReader(lazarus + " # " + tt.comment + "\n"))
		if err != nil {
			t.Errorf("%q: %v", tt.comment, err)
			continue
		}
		if got := entries[0].Kind; got != tt.want {
			t.Errorf("kind of %q: %s, want %s", tt.comment, got, tt.want)
		}
	}
}

const (
	lazarus = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	genesis = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
)

func TestParse(t *testing.T) {
	evm := address.MustParse("ethereum", lazarus)
	item := func(e sources.Entry) sources.Entry {
		e.Address, e.Listed, e.Ref = evm, lazarus, "addresses-darklist"
		return e
	}
	report := sources.Entry{Address: evm, Listed: lazarus, Kind: score.CommunityReport}
	long := strings.Repeat("é", 400)
	tests := []struct {
		name string
		in   string
		want []sources.Entry
	}{
		{"json: only an address", `[{"address":"` + lazarus + `"}]`, []sources.Entry{item(sources.Entry{Kind: score.CommunityReport})}},
		{
			"json: byte order mark and blanks",
			"\ufeff\r\n\t [ { \"address\" : \"" + lazarus + "\" } ] \r\n",
			[]sources.Entry{item(sources.Entry{Kind: score.CommunityReport})},
		},
		{"json: other members", `[{"x":{"address":["no",1e999,null,true,{}]},"address":"` + lazarus + `","comment":"fake","date":"2018-11-06","ADDRESS":1}]`,
			[]sources.Entry{item(sources.Entry{Kind: score.Scam, Name: "fake", ListedAt: date(2018, 11, 6)})}},
		{
			"json: date of the United States",
			`[{"address":"` + lazarus + `","date":"12/31/17"}]`,
			[]sources.Entry{item(sources.Entry{Kind: score.CommunityReport, ListedAt: date(2017, 12, 31)})},
		},
		{
			"json: date without a meaning",
			`[{"address":"` + lazarus + `","date":"31/12/17"}]`,
			[]sources.Entry{item(sources.Entry{Kind: score.CommunityReport})},
		},
		{"json: escapes", `[{"address":"0\u007809\u0038B716B8Aaf21512996dC57EB0615e2383E2f96","comment":"\ud83d\ude00"}]`,
			[]sources.Entry{item(sources.Entry{Kind: score.CommunityReport, Name: "😀"})}},
		{
			"json: comment of many lines",
			`[{"address":"` + lazarus + `","comment":" a\n\r\n\u0000b\u001b[31m\t"}]`,
			[]sources.Entry{item(sources.Entry{Kind: score.CommunityReport, Name: "a b [31m"})},
		},
		{
			"json: long comment",
			`[{"address":"` + lazarus + `","comment":"` + long + `"}]`,
			[]sources.Entry{item(sources.Entry{Kind: score.CommunityReport, Name: strings.Repeat("é", 254) + "…"})},
		},
		{"json: no address, but one elsewhere", `[{"address":"?"},{"address":"` + lazarus + `"}]`,
			[]sources.Entry{{Listed: "?", Kind: score.CommunityReport, Ref: "addresses-darklist"}, item(sources.Entry{Kind: score.CommunityReport})}},
		{"json: capitals that do not verify", `[{"address":"` + "0x098B716B8AAF21512996dC57EB0615e2383E2f96" + `"}]`,
			[]sources.Entry{{Address: evm, Listed: "0x098B716B8AAF21512996dC57EB0615e2383E2f96", Kind: score.CommunityReport, Ref: "addresses-darklist"}}},

		{"text: one line", lazarus + "\n", []sources.Entry{report}},
		{"text: byte order mark, CR LF, blanks, comments", "\ufeff# a list\r\n\r\n \t" + lazarus + " \r\n#" + genesis + "\r\n" + genesis + "# fake\r\n\r\n",
			[]sources.Entry{report, {Address: address.MustParse("bitcoin", genesis), Listed: genesis, Kind: score.Scam, Name: "fake"}}},
		{"text: no address, but one elsewhere", "none\n" + lazarus + "\n" + lazarus[:41] + "\n",
			[]sources.Entry{{Listed: "none", Kind: score.CommunityReport}, report, {Listed: lazarus[:41], Kind: score.CommunityReport}}},
		{"text: the same twice", lazarus + "\n" + lazarus + "\n", []sources.Entry{report, report}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, rev, err := parse(strings.NewReader(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("entries %+v, want %+v", got, tt.want)
			}
			if rev.Records != len(tt.want) || len(rev.Digest) != 64 {
				t.Errorf("revision %+v, want %d records and a digest", rev, len(tt.want))
			}
			again, revAgain, err := parse(iotest.OneByteReader(strings.NewReader(tt.in)))
			if err != nil || revAgain != rev || !slices.Equal(again, got) {
				t.Errorf("byte by byte: %+v, %+v, %v, want %+v, %+v", again, revAgain, err, got, rev)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	item := `{"address":"` + lazarus + `"}`
	tests := []struct {
		name string
		in   string
		line int64 // of the RecordError; 0: it names a byte; -1: there is none
	}{
		{"empty", "", -1},
		{"blanks only", "\ufeff \r\n\t\n", -1},
		{"comments only", "# nothing\n#\n", -1},
		{"html", "<!DOCTYPE html><html><body>Sign in</body></html>", 0},
		{"xml", "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>", 0},
		{"message", "404: Not Found", 1},
		{"text: truncated message in a word", "Forbidden", 1},
		{"text: truncated in an address", lazarus + "\n" + lazarus[:20], 2},
		{"text: a line separator in a comment", lazarus + " # x\u2029" + lazarus + "\n", 1},
		{"text: a carriage return in a comment", lazarus + " # x\r" + lazarus + "\n", 1},
		{"text: truncated behind an address", lazarus, 1},
		{"text: truncated before LF", lazarus + "\r", 1},
		{"text: truncated in a comment", lazarus + "\n# a list", 2},
		{"message in a word", "Forbidden\n", -1},
		{"two addresses on a line", lazarus + "\n\n" + lazarus + " " + genesis + "\n", 3},
		{"long line", lazarus + "\n" + strings.Repeat("a", 70_000), 2},
		{"NUL in an address", lazarus + "\n" + lazarus[:20] + "\x00\x00" + lazarus[22:] + "\n", 2},
		{"not text", "\x1f\x8a\x08\x00\xff\xfe", 1},
		{"not gzip", "\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\xff", -1},
		{"gzip, truncated", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", -1},
		{"utf-16", "\xff\xfe0\x00x\x00", 1},

		{"json: empty list", "[]", -1},
		{"json: object", item, 0},
		{"json: null", "null\n", -1},
		{"json: no address is one", `[{"address":"x"}]`, -1},
		{"json: array in the array", `[[` + item + `]]`, 0},
		{"json: null in the array", "[" + item + ",null]", 0},
		{"json: truncated after the array's bracket", "[", 0},
		{"json: truncated in a string", "[" + item[:20], 0},
		{"json: truncated after a member", "[" + item[:len(item)-1], 0},
		{"json: truncated after an object", "[" + item, 0},
		{"json: truncated after a comma", "[" + item + ",", 0},
		{"json: trailing comma", "[" + item + ",]", 0},
		{"json: trailing comma in the object", "[" + item[:len(item)-1] + ",}]", 0},
		{"json: leading comma", "[," + item + "]", 0},
		{"json: no comma", "[" + item + item + "]", 0},
		{"json: trailing data", "[" + item + "] x", 0},
		{"json: two lists", "[" + item + "]\n[" + item + "]", 0},
		{"json: trailing bracket", "[" + item + "]]", 0},
		{"json: no address", `[{"comment":"x"}]`, 0},
		{"json: blank address", "[" + item + `,{"address":" \u200b"}]`, 0},
		{"json: address in capitals only", `[{"Address":"` + lazarus + `"}]`, 0},
		{"json: address is null", `[{"address":null}]`, 0},
		{"json: address is a number", `[{"address":1}]`, 0},
		{"json: address is a list", `[{"address":["` + lazarus + `"]}]`, 0},
		{"json: comment is an object", `[{"address":"` + lazarus + `","comment":{}}]`, 0},
		{"json: address given twice", `[{"address":"` + lazarus + `","address":"` + lazarus + `"}]`, 0},
		{"json: address not in UTF-8", "[" + item + ",{\"address\":\"\xff\"}]", 0},
		{"json: half of a surrogate", `[{"address":"\ud83d"}]`, 0},
		{"json: control character", "[{\"address\":\"a\nb\"}]", 0},
		{"json: comment of JavaScript", "[" + item + "/* */]", 0},
		{"json: nested deep", `[{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}]", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, rev, err := parse(strings.NewReader(tt.in))
			if err == nil {
				t.Fatal("no error")
			}
			if !rev.IsZero() {
				t.Errorf("revision %+v, want none", rev)
			}
			if errors.Is(err, io.EOF) || strings.Contains(tt.name, "truncated") != errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v: want io.ErrUnexpectedEOF of what is truncated, and of nothing else", err)
			}
			var place *sources.RecordError
			switch found := errors.As(err, &place); {
			case found != (tt.line >= 0):
				t.Errorf("error %v: names a place: %v, want %v", err, found, !found)
			case found && place.Line != tt.line:
				t.Errorf("error %v: line %d, want %d", err, place.Line, tt.line)
			case found && tt.line == 0 && (place.Byte < 0 || place.Byte > int64(len(tt.in))):
				t.Errorf("error %v: byte %d of %d", err, place.Byte, len(tt.in))
			}
		})
	}
}

// TestParseTruncated cuts the real list at many places and checks that no part
// counts as the whole.
func TestParseTruncated(t *testing.T) {
	data := strings.TrimSpace(readFile(t, darklistFile))
	for n := 0; n < len(data); n += 9973 {
		if _, _, err := parse(strings.NewReader(data[:n])); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
	if _, _, err := parse(strings.NewReader(data[:len(data)-1])); err == nil {
		t.Error("without its last byte: no error")
	}
}

// endless is a reader that repeats one byte forever.
type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}

// TestParseBounds checks that parsing endless input stops. The long test reads as much
// as Parse allows by default.
func TestParseBounds(t *testing.T) {
	ignore := func(sources.Entry) error { return nil }
	for name, r := range map[string]io.Reader{
		"blanks":        endless(' '),
		"lines":         io.MultiReader(strings.NewReader(lazarus), endless('\n')),
		"line":          endless('a'),
		"json brackets": endless('['),
		"json string":   io.MultiReader(strings.NewReader(`[{"address":"`), endless('a')),
		"json blanks":   io.MultiReader(strings.NewReader(`[{"address":"`+lazarus+`"}]`), endless(' ')),
	} {
		if _, err := badlist.ParseBounded(r, 1<<20, ignore); err == nil {
			t.Errorf("%s without end: no error", name)
		}
	}
	if _, err := badlist.ParseBounded(strings.NewReader(lazarus+"\n"), 43, ignore); err != nil {
		t.Errorf("a list of just the size that is allowed: %v", err)
	}
	if _, err := badlist.ParseBounded(strings.NewReader(lazarus+"\n\n"), 43, ignore); !errors.Is(err, unpack.ErrTooLarge) {
		t.Errorf("a list of a byte more: error %v, want %v", err, unpack.ErrTooLarge)
	}
	size, parse := int64(1<<20), func(r io.Reader) (sources.Revision, error) { return badlist.ParseBounded(r, 1<<20, ignore) }
	if longtest.Enabled() {
		size, parse = badlist.MaxSize, func(r io.Reader) (sources.Revision, error) { return badlist.Parse(r, ignore) }
	}
	comments := &counter{r: repeat("#" + strings.Repeat("-", 60_000) + "\n")}
	if _, err := parse(comments); !errors.Is(err, unpack.ErrTooLarge) || comments.n != size+1 {
		t.Errorf("comments without end: error %v after %d bytes, want %v after %d", err, comments.n, unpack.ErrTooLarge, size+1)
	}
	for _, start := range []string{"[", `[{"address":"` + lazarus + `"`, `[{"address":"` + lazarus +
		`"}]`} { // encoding/json would take hours for 256 MiB of blanks
		blanks := &counter{r: io.MultiReader(strings.NewReader(start), endless(' '))}
		if _, err := badlist.Parse(blanks, ignore); err == nil || blanks.n > 1<<20 {
			t.Errorf("blanks after %s: error %v after %d bytes, want one after fewer than 1 MiB", start, err, blanks.n)
		}
	}
}

// A counter counts the bytes read from r.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// repeat returns a reader that repeats s.
func repeat(s string) io.Reader {
	r := strings.NewReader(s)
	return readerFunc(func(b []byte) (int, error) {
		if r.Len() == 0 {
			r.Reset(s)
		}
		return r.Read(b)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestParseReaderError(t *testing.T) {
	data := readFile(t, darklistFile)
	for name, in := range map[string]string{"json": data[:50_000], "text": lazarus + "\n" + lazarus[:20], "nothing": ""} {
		r := io.MultiReader(strings.NewReader(in), iotest.ErrReader(os.ErrDeadlineExceeded))
		if _, _, err := parse(r); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: error %v, want %v", name, err, os.ErrDeadlineExceeded)
		}
	}
}

func TestParseAddError(t *testing.T) {
	refused := errors.New("refused")
	for name, in := range map[string]string{"json": readFile(t, darklistFile), "text": lazarus + "\n" + lazarus + "\n" + lazarus} {
		calls := 0
		_, err := badlist.Parse(strings.NewReader(in), func(sources.Entry) error {
			if calls++; calls == 2 {
				return refused
			}
			return nil
		})
		if !errors.Is(err, refused) || calls != 2 {
			t.Errorf("%s: add was called %d times, error %v, want 2 and that of add", name, calls, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[{\"address\":\"" + lazarus + "\",\"comment\":\"fake\",\"date\":\"7/22/17\"}]")
	f.Add("\ufeff# list\r\n" + lazarus + " # hacker\r\n" + genesis)
	f.Add(`[{"x":[{}],"address":"a"},{"address":"` + genesis + `"}]`)
	f.Add("<html>")
	f.Fuzz(func(t *testing.T, in string) {
		entries, rev, err := parse(strings.NewReader(in))
		if err != nil {
			return
		}
		if rev.Records != len(entries) || len(entries) == 0 {
			t.Fatalf("%d records, %d entries", rev.Records, len(entries))
		}
		for _, e := range entries {
			if sources.TrimListed(e.Listed) == "" {
				t.Errorf("an entry lists nothing: %+v", e)
			}
			if e.Kind.Official() {
				t.Errorf("official kind %s", e.Kind)
			}
			if len(e.Name) > 512 {
				t.Errorf("name of %d bytes", len(e.Name))
			}
		}
	})
}
