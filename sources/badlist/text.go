package badlist

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// text reads a list of one address on a line as it is described at Parse.
func (p *parser) text(in *bufio.Reader, skipped position) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	n := skipped.lines
	at := func(err error) error { return &sources.RecordError{Line: n, Byte: -1, Err: err} }
	for lines.Scan() {
		n++
		listed, comment, _ := strings.Cut(lines.Text(), "#")
		listed = sources.TrimListed(listed)
		if listed == "" {
			continue
		}
		// A sentence, such as "404: Not Found", is no list of one line.
		if strings.ContainsAny(listed, " \t") {
			return at(fmt.Errorf("%.64q: want one address on a line", listed))
		}
		if err := p.emit(listed, comment, "", time.Time{}); err != nil {
			return at(err)
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		n++
		return at(fmt.Errorf("more than %d bytes", maxLine))
	}
	return err
}
