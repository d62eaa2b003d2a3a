package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	t.index = make(map[string]int)
	for line := range bytes.Lines(head) {
		members, err := parseObject(line)
		if err != nil {
			continue
		}
		for _, m := range members {
			if _, ok := t.index[m.name]; !ok {
				t.index[m.name] = len(names)
				names = append(names, m.name)
			}
		}
		if len(body) < 50 {
			row := make([]string, len(names))
			for _, m := range members {
				row[t.index[m.name]] = m.text()
			}
			body = append(body, row)
		}
	}
	if len(names) == 0 {
		return errors.New("the first lines have no JSON object")
	}
	if err := t.choose(names, body); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), "column is", "member is"))
	}
	return nil
}

// text returns the value if it is a string, nothing if it is null, and else its JSON.
func (m *member) text() string {
	var s string
	if json.Unmarshal(m.value, &s) != nil {
		return string(m.value)
	}
	return s
}

// parseRow returns the row of a line.
func (t *Reader) parseRow(line []byte) Row {
	members, err := parseObject(line)
	if err != nil {
		text, _ := json.Marshal(string(line))
		return Row{members: []member{{"input", text}}, Err: err}
	}
	row := Row{members: members, cells: make([]string, len(t.all))}
	seen := make([]bool, len(t.all))
	for _, m := range members {
		i, ok := t.index[m.name]
		if !ok {
			continue
		}
		if i == t.address || i == t.chain {
			if c := m.value[0]; c != '"' && c != 'n' {
				row.Err = fmt.Errorf("the member %q is not a string", m.name)
				continue
			}
			if seen[i] {
				row.Err = fmt.Errorf("the member %q is given twice", m.name)
			}
		}
		row.cells[i], seen[i] = m.text(), true
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
