package storetest

import (
	"fmt"

	"github.com/walletscreen/walletscreen/sources/store"
)

// Rules returns the names of the rules.
func Rules() (names []string) {
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

// Check checks one rule.
func Check(rule string, open func() (store.Store, error)) error {
	for _, r := range rules {
		if r.name == rule {
			return r.tryIn(open)
		}
	}
	return fmt.Errorf("no rule %q", rule)
}
