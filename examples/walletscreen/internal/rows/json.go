package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A member is one of a JSON object, with its value as it was read.
type member struct {
	name  string
	value json.RawMessage
}

// openJSON finds which members have the address and the chain.
func (t *Reader) openJSON(head []byte) error {
	var names []string
	var body [][]string
	seen := make(map[string]int)
	lines := bytes.Split(head, []byte("\n"))
	for i, line := range lines {
		members, err := parseObject(line)
		if err != nil {
			continue // the last line of head may be cut off
		}
		row := make([]string, len(names), len(names)+len(members))
		for _, m := range members {
			at, ok := seen[m.name]
			if !ok {
				at = len(names)
				seen[m.name] = at
				names = append(names, m.name)
				row = append(row, "")
			}
			var s string
			if json.Unmarshal(m.value, &s) == nil {
				row[at] = s
			}
		}
		if i < 50 {
			body = append(body, row)
		}
	}
	if len(names) == 0 {
		return errors.New("the first lines have no JSON object")
	}
	address, err := addressColumn(t.opts.Address, names, body, t.opts.Plausible)
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), "column is", "member is"))
	}
	chain, err := chainColumn(t.opts.Chain, names, body, address, t.opts.IsChain)
	if err != nil {
		return err
	}
	t.columnsUsed(names, body, address, chain)
	t.all = names
	t.names[0] = names[address]
	if chain >= 0 {
		t.names[1] = names[chain]
	}
	return nil
}

// parseRow returns the row of a line.
func (t *Reader) parseRow(line []byte) Row {
	members, err := parseObject(line)
	if err != nil {
		text, _ := json.Marshal(string(line))
		return Row{members: []member{{"input", text}}, Err: err}
	}
	row := Row{members: members}
	seen := [2]bool{}
	for _, m := range members {
		i := slices.Index(t.names[:], m.name)
		if i < 0 || m.name == "" {
			continue
		}
		var s *string
		if err := json.Unmarshal(m.value, &s); err != nil {
			row.Err = fmt.Errorf("the member %q is not a string", m.name)
		}
		if seen[i] {
			row.Err = fmt.Errorf("the member %q is given twice", m.name)
		}
		seen[i] = true
		if s == nil {
			continue
		}
		if m.name == t.names[0] {
			row.Address = literal(*s)
		} else {
			row.Chain = literal(*s)
		}
	}
	return row
}

// parseObject returns the members of the JSON object that is all of line.
func parseObject(line []byte) ([]member, error) {
	if !json.Valid(line) || bytes.TrimSpace(line)[0] != '{' {
		return nil, errors.New("the line is not a JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.Token() // the brace
	var members []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var m member
		m.name, _ = name.(string)
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}
