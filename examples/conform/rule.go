package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A response is what a system sent back.
type response struct {
	command bool
	status  int // of HTTP
	exit    int // of a command
	body    []byte
	value   any // of the body, if that is JSON
}

func (r *response) String() string {
	body := strings.Join(strings.Fields(string(r.body)), " ")
	if len(body) > 200 {
		body = body[:200] + " …"
	}
	if r.command {
		return fmt.Sprintf("exit code %d: %s", r.exit, body)
	}
	return fmt.Sprintf("status %d: %s", r.status, body)
}

// A rule is a list of conditions that all must hold.
type rule []condition

// A condition compares values of a response. It holds if one of them compares so; missing
// holds if the body is JSON and there are none.
type condition struct {
	of, op string
	value  any
}

var (
	conditionText = regexp.MustCompile(`^(status|exit|text|\$\S*) +(?:(exists|missing)|(==|!=|<|>=|contains) +(.+))$`)
	pathStep      = regexp.MustCompile(`^(?:\.([\w-]+)|\[(\d+|\*)\])`)
)

// UnmarshalText reads conditions with " && " between them.
func (r *rule) UnmarshalText(text []byte) error {
	for s := range strings.SplitSeq(string(text), " && ") {
		m := conditionText.FindStringSubmatch(strings.TrimSpace(s))
		if m == nil {
			return fmt.Errorf("%q is not a condition such as %q or %q", s, `status == 200`, `$.matches[*].list == "OFAC"`)
		}
		c := condition{of: m[1], op: m[2] + m[3]}
		if m[4] != "" {
			if err := json.Unmarshal([]byte(m[4]), &c.value); err != nil {
				return fmt.Errorf("%q: the value is not JSON: %w", s, err)
			}
		}
		if path, ok := strings.CutPrefix(c.of, "$"); ok {
			for path != "" {
				step := pathStep.FindString(path)
				if step == "" {
					return fmt.Errorf("%q is not a step of a path such as .name, [0] or [*]", path)
				}
				path = path[len(step):]
			}
		}
		*r = append(*r, c)
	}
	return nil
}

// fits reports whether all conditions hold.
func (r rule) fits(res *response) bool {
	for _, c := range r {
		if !c.holds(res) {
			return false
		}
	}
	return true
}

func (c *condition) holds(res *response) bool {
	var values []any
	switch c.of {
	case "status":
		values = []any{float64(res.status)}
	case "exit":
		values = []any{float64(res.exit)}
	case "text":
		values = []any{string(res.body)}
	default:
		values = find(res.value, c.of[1:])
	}
	switch c.op {
	case "exists":
		return len(values) > 0
	case "missing":
		return res.value != nil && len(values) == 0
	}
	for _, v := range values {
		n, number := v.(float64)
		limit, _ := c.value.(float64)
		switch {
		case c.op == "==" && reflect.DeepEqual(v, c.value), c.op == "!=" && !reflect.DeepEqual(v, c.value),
			c.op == "<" && number && n < limit, c.op == ">=" && number && n >= limit,
			c.op == "contains" && strings.Contains(fmt.Sprint(v), fmt.Sprint(c.value)):
			return true
		}
	}
	return false
}

// find returns the values at a path of steps below v: .name, [0], or [*] for all elements
// or members.
func find(v any, path string) (values []any) {
	m := pathStep.FindStringSubmatch(path)
	if m == nil {
		return []any{v}
	}
	rest := path[len(m[0]):]
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == m[1] || m[2] == "*" {
				values = append(values, find(e, rest)...)
			}
		}
	case []any:
		for i, e := range v {
			if m[2] == "*" || m[2] == strconv.Itoa(i) {
				values = append(values, find(e, rest)...)
			}
		}
	}
	return values
}
