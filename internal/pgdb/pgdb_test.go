package pgdb_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/pgdb"
)

// TestCheck refuses URLs whose password, "hunter2", the driver would show in part.
func TestCheck(t *testing.T) {
	for url, isGood := range map[string]bool{
		"postgres://u:hunter2@127.0.0.1:1/d":                     true,
		"postgresql://u:hun%40ter2@h1,h2/d":                      true,
		"postgres://u:hun?ter2@h/d?application_name=a@b":         true,
		"postgres://h/d?user=u@d":                                true,
		"postgres:///d?host=/run/postgresql":                     true,
		"host=h password=a@hunter2":                              true,
		"postgres://u:a@hunter2@h/d":                             false,
		"postgres://u:a?b@hunter2@h/d":                           false,
		"postgres://u:1/hunter2@h/d":                             false,
		"postgres://u:1@hunter/2@h/d?application_name=unhurried": false,
	} {
		err := pgdb.Check(url)
		if _, parsed := pgdb.Parse(url); (err == nil) != isGood || isGood && parsed != nil || err != nil && strings.Contains(parsed.Error(), "hunter") {
			t.Errorf("%s: %v, %v", url, err, parsed)
		}
	}
}
