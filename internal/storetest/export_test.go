package storetest

import "fmt"

// Rules returns the names of the rules.
func Rules() (names []string) {
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

// Check checks one rule.
func Check(rule string, open opener) error {
	for _, r := range rules {
		if r.name == rule {
			return r.check(open)
		}
	}
	return fmt.Errorf("no rule %q", rule)
}
