package opensanctions

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// walletSchema is the schema of wallets.
const walletSchema = "CryptoWallet"

// holderSchemas are the schemas of entities that may hold a wallet: LegalEntity and those
// that extend it.
var holderSchemas = map[string]bool{
	"LegalEntity": true, "Person": true, "Organization": true, "Company": true, "PublicBody": true,
}

// An entity is a line of entities.ftm.json:
//
//	{"id": "ofac-1", "caption": "…", "schema": "CryptoWallet", "properties": {"publicKey": ["12Qt…"], "currency": ["XBT"], "holder": ["ofac-25308"], "topics": ["sanction"]}, "first_seen": "2023-04-20T09:20:33", …}
type entity struct {
	ID         string          `json:"id"`
	Schema     string          `json:"schema"`
	Caption    string          `json:"caption"`
	FirstSeen  string          `json:"first_seen"`
	Properties json.RawMessage `json:"properties"`
}

// properties are the properties of a wallet that are read.
type properties struct {
	PublicKey      []string `json:"publicKey"`
	Currency       []string `json:"currency"`
	CurrencySymbol []string `json:"currencySymbol"`
	Holder         []string `json:"holder"`
	Topics         []string `json:"topics"`
	Name           []string `json:"name"`
}

// readEntities reads entities.ftm.json.
func (d *dataset) readEntities(in *bufio.Reader) error {
	var line []byte
	for n := int64(1); ; n++ {
		var err error
		line, err = readLine(in, line[:0])
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case err == io.EOF:
			return fail(n, "", io.ErrUnexpectedEOF)
		case err == errLine:
			return fail(n, "", err)
		case err != nil:
			return err
		}
		var e entity
		if err := json.Unmarshal(line, &e); err != nil {
			return fail(n, "", err)
		}
		if e.ID == "" || e.Schema == "" {
			return fail(n, e.ID, errors.New("no entity: id or schema missing"))
		}
		d.records++
		if err := d.addEntity(&e); err != nil {
			return fail(n, e.ID, err)
		}
	}
}

var errLine = fmt.Errorf("line of more than %d bytes", maxLine)

// readLine appends a line with its end to buf. With io.EOF the line has no end.
func readLine(in *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		buf = append(buf, part...)
		if err != bufio.ErrBufferFull {
			return buf, err
		}
		if len(buf) > maxLine {
			return buf, errLine
		}
	}
}

func (d *dataset) addEntity(e *entity) error {
	if e.Schema != walletSchema {
		if holderSchemas[e.Schema] {
			d.names.add(e.ID, freetext.Name(e.Caption))
		}
		return nil
	}
	var p properties
	if err := json.Unmarshal(e.Properties, &p); err != nil {
		return fmt.Errorf("properties: %w", err)
	}
	w := wallet{
		id:        freetext.Name(e.ID),
		asset:     freetext.Name(first(p.Currency, p.CurrencySymbol)),
		name:      freetext.Name(first(p.Name)),
		holders:   p.Holder,
		kind:      d.kind(p.Topics),
		firstSeen: parseTime(e.FirstSeen),
	}
	// A wallet without a key is an account at an exchange, and has no address.
	for _, key := range p.PublicKey {
		w.listed = key
		if err := d.add(w); err != nil {
			return err
		}
	}
	return d.end(e.ID)
}

// first returns the first of all values, or "".
func first(lists ...[]string) string {
	for _, l := range lists {
		if len(l) > 0 {
			return l[0]
		}
	}
	return ""
}
