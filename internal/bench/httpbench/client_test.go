//go:build unix

package httpbench

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"
)

// A conn is a connection of a client that does as little as possible, because it
// competes with the server for processor time.
type conn struct {
	net.Conn
	request []byte
	address []byte // the digits of the address in request
	n       uint64
	until   time.Time // the deadline
	buf     [16 << 10]byte
}

// request returns a question about the address of a number, as it is sent.
func request(token string, n uint64) []byte {
	body := `{"address":"0x` + string(appendDigits(nil, n)) + `","chain":"ethereum"}`
	return []byte("POST /api/v1/screen HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token +
		"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// appendDigits appends 40 hex digits that follow from n.
func appendDigits(b []byte, n uint64) []byte {
	for range 40 {
		n = n*6364136223846793005 + 1442695040888963407 // Knuth's generator, MMIX
		b = append(b, "0123456789abcdef"[n>>60])
	}
	return b
}

// dial connects to a server. No two seeds ask about the same addresses.
func dial(addr, token string, seed uint64) (*conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	r := request(token, 0)
	at := bytes.Index(r, []byte(`"0x`)) + 3
	return &conn{Conn: c, request: r, address: r[at : at : at+40], n: seed << 32}, nil
}

// patience is the least time an answer may take. It is so long that a machine that
// stalls ends no measurement.
const patience = 2 * time.Minute

// ask asks about the next address, and reads the answer. Anything but a 200 is an
// error.
func (c *conn) ask() error {
	c.n++
	appendDigits(c.address, c.n)
	if now := time.Now(); c.until.Sub(now) < patience {
		c.until = now.Add(2 * patience)
		c.SetDeadline(c.until)
	}
	if _, err := c.Write(c.request); err != nil {
		return err
	}
	got := 0
	for {
		n, err := c.Read(c.buf[got:])
		if err != nil {
			return err
		}
		got += n
		whole, err := wholeAnswer(c.buf[:got])
		if err != nil || whole {
			return err
		}
		if got == len(c.buf) {
			return errors.New("an answer that is too long")
		}
	}
}

// wholeAnswer reports whether b is a whole answer, with a Content-Length.
func wholeAnswer(b []byte) (bool, error) {
	head := bytes.Index(b, []byte("\r\n\r\n"))
	if head < 0 {
		return false, nil
	}
	if !bytes.HasPrefix(b, []byte("HTTP/1.1 200 ")) {
		return false, fmt.Errorf("answered %.300s", b)
	}
	const name = "\r\nContent-Length: "
	at := bytes.Index(b[:head], []byte(name))
	if at < 0 {
		return false, errors.New("an answer without Content-Length")
	}
	n := 0
	for _, c := range b[at+len(name) : head] {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return len(b) == head+4+n, nil
}
