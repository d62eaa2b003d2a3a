package sources

import (
	"time"

	"github.com/walletscreen/walletscreen/address"
)

// An Allowed is an account that a list of the operator's own allows: what other lists say of
// this account does not count.
type Allowed struct {
	Address address.Address
	// Reason and Author say why, and by whom, it was decided, or "".
	Reason, Author string
	// Expires is the instant at which the decision ends; zero if it does not.
	Expires time.Time
}

// AllowedBy returns the accounts that src allows now, also those whose decision has expired.
// It calls the method
//
//	Allowed() ([]Allowed, error)
//
// of a Source that has one, as the Sources of package own have, if its Jurisdiction is
// Operator. For any other Source it returns nil.
func AllowedBy(src Source) ([]Allowed, error) {
	if s, ok := src.(interface{ Allowed() ([]Allowed, error) }); ok && src.Info().Jurisdiction == Operator {
		return s.Allowed()
	}
	return nil, nil
}
