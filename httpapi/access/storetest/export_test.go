package storetest

import "github.com/walletscreen/walletscreen/httpapi/access"

// Month is the month of the rules.
var Month = month

// Check tests one rule.
func Check(name string, s access.Store) error {
	for _, r := range rules {
		if r.name == name {
			return r.check(s)
		}
	}
	panic("no rule " + name)
}

// Rules returns the names of all rules.
func Rules() []string {
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}
