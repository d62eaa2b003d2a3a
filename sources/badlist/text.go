package badlist

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
)

// text reads a list with one address on a line, as Parse describes it. The buffer of in
// has the size of the longest line.
func (p *parser) text(in *bufio.Reader, skipped position) error {
	n := skipped.lines
	at := func(err error) error { return &sources.RecordError{Line: n, Byte: -1, Err: err} }
	for {
		line, err := in.ReadSlice('\n')
		n++
		switch {
		case err == bufio.ErrBufferFull:
			return at(fmt.Errorf("more than %d bytes", maxLine))
		case err != nil && err != io.EOF:
			return err
		}
		if err := p.textLine(string(line)); err != nil {
			return at(err)
		}
		if err == io.EOF {
			if !p.OpenEnd && sources.TrimListed(string(line)) != "" {
				return at(fmt.Errorf("the last line has no end: %w", io.ErrUnexpectedEOF))
			}
			return nil
		}
	}
}

func (p *parser) textLine(line string) error {
	listed, comment, _ := strings.Cut(line, "#")
	listed = sources.TrimListed(listed)
	if strings.ContainsAny(strings.TrimRight(line, "\r\n"), csvscan.OtherBreaks) {
		return fmt.Errorf("%.64q: a line break other than LF or CRLF, want one address on a line", listed)
	}
	if listed == "" {
		return nil
	}
	// A sentence, such as "404: Not Found", is not a list of one line.
	if strings.ContainsAny(listed, " \t") {
		return fmt.Errorf("%.64q: want one address on a line", listed)
	}
	return p.emit(record{columnAddress: listed, columnName: comment})
}
