package sourcetest

import "github.com/walletscreen/walletscreen/sources"

// Check returns the error of the named rule, or nil if it holds.
func Check(name string, newSource func() sources.Source) error {
	for _, r := range rules {
		if r.name == name {
			return check(newSource, r.check)
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
