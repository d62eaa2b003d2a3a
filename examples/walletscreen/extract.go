package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/screening"
)

// An extractCall is a call of the command extract.
type extractCall struct {
	*program
	total tally
}

func (p *program) extractCommand() *cli.Command {
	e := &extractCall{program: p}
	return p.command("extract", "[flags] FILE...", "finds addresses in text, logs or mail, and screens them",
		"It finds addresses with a valid checksum, and 0x with 40 hex digits, also if a line break, markup\n"+
			"or an invisible character interrupts them. What looks like an address or a piece of one and proves\n"+
			"nothing is listed without a level: look at it. - is the standard input.\n"+
			"A file may be compressed with gzip, or in UTF-16. A file that is not text, such as a PDF, RTF or\n"+
			"a zip archive, is an error, and so is mail with parts in Base64: save them as text.\n\n"+
			"Exit codes are those of screen.",
		slices.Concat([]cli.Flag{boolFlag("json", "print one JSON object a line", &e.json)}, e.lists.flags()), func(ctx context.Context, files []string) error {
			if len(files) == 0 {
				return errors.New("want a FILE, or - for the standard input")
			}
			screener, err := e.openLists(ctx)
			if err != nil {
				return err
			}
			table := &layout{wide: true}
			var failed error
			for _, name := range files {
				if err := e.file(ctx, screener, name, table); ctx.Err() != nil {
					failed = errors.Join(failed, fmt.Errorf("interrupted: the rest of %s was not read", inputName(name)))
					break
				} else if err != nil {
					failed = errors.Join(failed, err)
				}
			}
			if !e.json {
				table.print(p)
				if e.total.rows == 0 && failed == nil {
					fmt.Fprintln(p.stderr, "no address found")
				}
				fmt.Fprintln(p.stderr)
				(&judge{screener: screener}).printLists(p.stderr)
			}
			p.code = e.total.code()
			return failed
		})
}

// chunkSize bytes are searched at once, and overlap bytes again with the next ones, so that no address is cut.
const (
	chunkSize = 1 << 20
	overlap   = 4 << 10
)

// base64Part begins the text of a part of a mail that is encoded.
var base64Part = regexp.MustCompile(`(?im)^content-transfer-encoding:\s*base64`)

// packed are the first bytes of files that are not text, even if none of their bytes is zero.
var packed = []string{"%PDF-", `{\rtf`, "BZh91AY&SY", "\x28\xb5\x2f\xfd", "7z\xbc\xaf", "Rar!\x1a", "\xfd7zXZ"}

// file finds and screens the addresses of a file.
func (e *extractCall) file(ctx context.Context, s *screening.Screener, name string, table *layout) error {
	in, _, err := e.openInput(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	decoded, _, err := rows.Decode(in)
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(name), err)
	}
	reader := bufio.NewReaderSize(decoded, chunkSize)
	if magic, _ := reader.Peek(10); slices.ContainsFunc(packed, func(begin string) bool { return bytes.HasPrefix(magic, []byte(begin)) }) {
		return fmt.Errorf("%s is a PDF, RTF or an archive, and addresses in it are not found; save it as text", inputName(name))
	}
	text := make([]byte, 0, chunkSize+overlap)
	at := position{name: name, line: 1, column: 1}
	var hidden error // where the first part begins in which addresses are not found
	for eof := false; !eof; {
		n, err := io.ReadFull(reader, text[len(text):cap(text)])
		text = text[:len(text)+n]
		if i := bytes.IndexByte(text, 0); i >= 0 && hidden == nil {
			hidden = fmt.Errorf("%s is not all text: byte %d is zero, and addresses in what is not text are not found; save it as text", inputName(name), at.offset+i)
		}
		if i := base64Part.FindIndex(text); i != nil && hidden == nil {
			hidden = fmt.Errorf("%s has a part in Base64 at byte %d, and addresses in it are not found; save the parts of the mail as text", inputName(name), at.offset+i[0])
		}
		eof = err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !eof {
			return fmt.Errorf("%s: %w", inputName(name), err)
		}
		end := len(text)
		if !eof {
			end -= overlap // what begins behind is found in the next chunk
			if i := bytes.LastIndexAny(text[end-overlap:end], " \n"); i >= 0 {
				end -= overlap - i // not within a word
			}
		}
		done := 0
		whole := string(text)
		for _, f := range address.FindLikely(whole) {
			if f.Start >= end {
				break
			}
			at.advance(whole[done:f.Start])
			done = f.Start
			if err := e.found(s, at, whole[f.Start:f.End], f.Address, table); err != nil {
				return err
			}
			end = max(end, f.End)
		}
		at.advance(whole[done:end])
		text = text[:copy(text[:cap(text)], text[end:])]
	}
	return hidden
}

// errPiece is the error of what looks like an address and is not known to be one.
var errPiece = errors.New("looks like an address or a piece of one, with an error, shortened or without a checksum: not screened")

// found screens one address and prints it, or prints what looks like one if a is zero.
func (e *extractCall) found(s *screening.Screener, at position, text string, a address.Address, table *layout) error {
	v := verdict{input: text, err: errPiece}
	if a.IsValid() {
		v = screenFound(s, text, a)
	}
	e.total.add(&v)
	if e.json {
		e.printJSON(struct {
			File   string `json:"file"`
			Line   int    `json:"line"`
			Column int    `json:"column"`
			Offset int    `json:"offset"`
			jsonResult
		}{at.name, at.line, at.column, at.offset, v.object()})
		return e.unwritten // a long text must not be searched for nothing
	}
	r := &v.result
	shown, level, points, why := a.String(), string(r.Level), strconv.Itoa(r.Score), ""
	switch {
	case v.err == errPiece:
		shown, level, points, why = clean(text), "", "", v.err.Error()
	case v.err != nil:
		return v.err
	case v.isListed():
		l := r.Labels[0]
		why = strings.TrimSpace(fmt.Sprintf("%s, %s match, %s %s %s", l.Kind, l.Match, l.Source, l.Ref, clean(l.Name)))
	case len(r.Doubts) > 0:
		level, points, why = "UNDECIDED", "", "no match, but "+r.Doubts[0].Explain()
	case len(r.Suppressed) > 0:
		why = "suppressed: " + clean(suppressions(r.Suppressed))
	}
	if len(table.rows) == 1000 { // memory stays small, and people see progress
		table.print(e)
		table.rows = nil
	}
	if len(table.rows) == 0 {
		table.add("PLACE", "LEVEL", ">SCORE", "ADDRESS", "WHY")
	}
	table.add(fmt.Sprintf("%s:%d:%d", at.name, at.line, at.column), level, points, shown, why)
	return e.unwritten
}

// screenFound screens an address that was found as text, which may be broken over lines.
func screenFound(s *screening.Screener, text string, a address.Address) verdict {
	v := verdict{input: text}
	if v.result, v.reading, v.err = s.ScreenInput(string(a.Chain()), text); v.err != nil || v.result.Address.Canonical() != a.Canonical() {
		v.reading = address.Reading{Addresses: []address.Address{a}, Chain: a.Chain()}
		v.result, v.err = s.Screen(a)
	}
	return v
}

// A position is a place in a file. Lines and columns count from 1, columns in bytes.
type position struct {
	name                 string
	line, column, offset int
}

// advance moves p behind text.
func (p *position) advance(text string) {
	p.offset += len(text)
	if n := strings.Count(text, "\n"); n > 0 {
		p.line += n
		p.column = len(text) - strings.LastIndexByte(text, '\n')
		return
	}
	p.column += len(text)
}
