package ofac

import (
	"fmt"
	"strings"
)

// A kind is one of the two lists that OFAC publishes in the same formats.
type kind int

const (
	sdn kind = iota
	consolidated
)

func (k kind) String() string {
	if k == sdn {
		return "the SDN List"
	}
	return "the consolidated non-SDN list"
}

// check returns an error if a party under these programs alone is not on the list.
// sdn.xml and CSV do not name the lists, and most programs belong to both; but some
// belong to one list by name, and whole files have hundreds of parties under these.
func (k kind) check(programs []string) error {
	if len(programs) == 0 {
		return nil
	}
	for _, p := range programs {
		if other, ok := listOf(p); !ok || other == k {
			return nil
		}
	}
	return fmt.Errorf("party under the program %.64q: this is not %v", programs[0], k)
}

// listOf returns the list of a program, and false if it may be either.
func listOf(program string) (kind, bool) {
	switch program {
	case "SDGT", "SDNT", "SDNTK", "FTO": // specially designated terrorists and traffickers
		return sdn, true
	}
	for _, prefix := range []string{
		"NS-",   // non-SDN, such as NS-PLC
		"CMIC-", // Chinese military-industrial complex companies
		"FSE-",  // foreign sanctions evaders
		"561",   // accounts of foreign banks
	} {
		if strings.HasPrefix(program, prefix) {
			return consolidated, true
		}
	}
	return 0, false
}
