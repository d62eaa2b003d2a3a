package walletscreen_test

import (
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/walletscreen/walletscreen/"

// imports is which packages of this module each of its packages may import. It
// is a statement of policy: if the test fails, the code is wrong, not this
// table. A package or import that is not named here does not exist.
var imports = map[string]string{
	"address": "address/internal/base32 address/internal/curve address/internal/f4jumble " +
		"address/internal/groestl internal/base58 internal/bech32 internal/identity internal/visible",
	"address/internal/base32":   "",
	"address/internal/curve":    "",
	"address/internal/f4jumble": "",
	"address/internal/groestl":  "",

	"score":              "",
	"sources":            "address internal/visible score",
	"sources/sourcetest": "address score sources",
	"sources/ofac": "sources sources/internal/csvscan sources/internal/fetch sources/internal/freetext " +
		"sources/internal/info sources/internal/unpack sources/internal/xmlscan",
	"sources/eu": "sources sources/internal/fetch sources/internal/freetext " +
		"sources/internal/info sources/internal/xmlscan",
	"sources/uk": "sources sources/internal/fetch sources/internal/freetext " +
		"sources/internal/info sources/internal/xmlscan",
	"sources/badlist": "address score sources sources/internal/csvscan sources/internal/fetch sources/internal/freetext " +
		"sources/internal/info sources/internal/unpack",
	"sources/opensanctions":           "address score sources sources/internal/csvscan sources/internal/fetch sources/internal/freetext sources/internal/unpack",
	"sources/nbctf":                   "address score sources sources/internal/csvscan sources/internal/fetch sources/internal/freetext sources/internal/unpack",
	"sources/mof":                     "sources sources/internal/csvscan sources/internal/fetch sources/internal/freetext sources/internal/unpack",
	"sources/stablecoin":              "address internal/atomicfile score sources sources/internal/fetch",
	"sources/internal/csvscan":        "address sources",
	"sources/internal/fetch":          "internal/version sources sources/internal/unpack",
	"sources/internal/unpack":         "",
	"sources/internal/freetext":       "address score sources",
	"sources/internal/info":           "sources",
	"sources/internal/listtest":       "internal/longtest score sources",
	"sources/internal/xmlscan":        "sources",
	"sources/bundle":                  "internal/stays sources sources/internal/info sources/internal/unpack",
	"sources/bundle/internal/rebuild": "internal/stays score sources sources/badlist sources/bundle sources/eu sources/internal/unpack sources/ofac sources/uk",
	"sources/own":                     "address score sources sources/internal/csvscan sources/internal/unpack",
	"sources/store":                   "internal/atomicfile internal/line internal/stays sources",
	"internal/journal":                "internal/line internal/stays sources sources/store",
	"internal/storetest":              "internal/line internal/stays sources/store",
	"sources/store/pgstore":           "internal/pgdb sources/store",
	"screening": "address internal/identity internal/index internal/journal internal/stays " +
		"internal/wire score screening/internal/list sources sources/store",
	"screening/book":          "address internal/atomicfile screening",
	"screening/receipt":       "address internal/evidence internal/version internal/wire score screening sources sources/store",
	"screening/internal/list": "address internal/identity internal/index internal/stays score sources",
	"httpapi": "address httpapi/internal/static internal/correct internal/journal internal/stays internal/visible " +
		"score screening sources sources/store",
	"httpapi/audit":           "internal/atomicfile internal/evidence internal/version internal/wire address httpapi score screening screening/receipt",
	"httpapi/compat":          "address httpapi internal/wire score screening",
	"httpapi/internal/static": "",
	"httpapi/page":            "address httpapi/internal/static",
	"internal/api":            "",
	"internal/base58":         "",
	"internal/bech32":         "",
	"internal/identity":       "",
	"internal/index":          "internal/identity",
	"internal/atomicfile":     "",
	"internal/correct":        "address internal/visible",
	"internal/vectors":        "address",
	"internal/line":           "",
	"internal/stays":          "address score sources",
	"internal/longtest":       "",
	"internal/version":        "",
	"internal/visible":        "",
	"internal/wire":           "internal/visible",
	"internal/evidence":       "internal/wire",
	"internal/pgdb":           "",
	"internal/pipenet":        "",
	"internal/postgrestest":   "internal/atomicfile",
	"internal/secret":         "address",
	"internal/sqlitedb":       "internal/atomicfile",

	"httpapi/access":                   "httpapi",
	"httpapi/access/internal/sqlstore": "httpapi/access",
	"httpapi/access/sqlstore/sqlite":   "httpapi/access httpapi/access/internal/sqlstore internal/sqlitedb",
	"httpapi/access/sqlstore/postgres": "httpapi/access httpapi/access/internal/sqlstore internal/pgdb",
	"httpapi/metrics":                  "httpapi httpapi/access httpapi/audit score screening",
}

// links lists the packages that embedders may link, beyond the standard
// library and this module.
var links = map[string]string{
	"address":               "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"score":                 "",
	"sources":               "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"sources/bundle":        "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"sources/ofac":          "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"sources/badlist":       "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"sources/opensanctions": "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"sources/stablecoin":    "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"screening":             "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"screening/book":        "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",
	"screening/receipt":     "github.com/decred/dcrd golang.org/x/crypto golang.org/x/mod golang.org/x/sys",
	"httpapi":               "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys golang.org/x/time",
	"httpapi/audit":         "github.com/decred/dcrd golang.org/x/crypto golang.org/x/mod golang.org/x/sys golang.org/x/time",
	"httpapi/compat":        "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys golang.org/x/time",
	"httpapi/page":          "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sys",

	"sources/store":         "golang.org/x/crypto golang.org/x/sys github.com/decred/dcrd",
	"sources/store/pgstore": "golang.org/x/crypto golang.org/x/sync golang.org/x/sys golang.org/x/text github.com/decred/dcrd github.com/jackc",

	// Each database is a driver, and what that needs.
	"httpapi/access": "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sync golang.org/x/sys golang.org/x/time",
	"httpapi/access/sqlstore/sqlite": "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sync golang.org/x/sys golang.org/x/time modernc.org " +
		"github.com/dustin/go-humanize github.com/google/uuid github.com/mattn/go-isatty github.com/ncruces/go-strftime github.com/remyoudompheng/bigfft",
	"httpapi/access/sqlstore/postgres": "github.com/decred/dcrd golang.org/x/crypto golang.org/x/sync golang.org/x/sys golang.org/x/text " +
		"golang.org/x/time github.com/jackc",
}

// never are packages of the standard library that these must not link, and the
// reason why somebody would notice.
var never = map[string]string{
	"address":               "net net/http encoding/xml encoding/json database/sql os/exec testing",
	"score":                 "net net/http encoding/xml encoding/json database/sql os fmt testing",
	"sources":               "net net/http encoding/xml database/sql testing",
	"sources/bundle":        "net net/http encoding/xml database/sql testing",
	"screening":             "net net/http encoding/xml database/sql testing",
	"screening/book":        "net net/http encoding/xml database/sql testing",
	"screening/receipt":     "net net/http encoding/xml database/sql testing",
	"httpapi":               "encoding/xml database/sql testing",
	"httpapi/audit":         "encoding/xml database/sql testing",
	"httpapi/compat":        "encoding/xml database/sql testing",
	"httpapi/page":          "encoding/xml database/sql testing",
	"sources/store":         "net net/http encoding/xml database/sql testing",
	"sources/store/pgstore": "testing",
	"sources/stablecoin":    "encoding/xml database/sql testing",

	"httpapi/access":                   "encoding/xml database/sql testing",
	"httpapi/metrics":                  "encoding/xml database/sql testing",
	"httpapi/access/sqlstore/sqlite":   "encoding/xml testing",
	"httpapi/access/sqlstore/postgres": "testing", // its driver knows columns of XML
}

// A goPackage is a package of this module, as go list describes it.
type goPackage struct {
	name          string // the import path without the module
	dir           string
	imports, deps []string
}

var listPackages = sync.OnceValues(func() ([]goPackage, error) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}|{{.Dir}}|{{range .Imports}}{{.}} {{end}}|{{range .Deps}}{{.}} {{end}}", "./...").Output()
	if err != nil {
		return nil, err
	}
	var all []goPackage
	for line := range strings.Lines(string(out)) {
		f := strings.Split(line, "|")
		all = append(all, goPackage{strings.TrimPrefix(f[0], module), f[1], strings.Fields(f[2]), strings.Fields(f[3])})
	}
	return all, nil
})

// packages returns the packages of this module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	all, err := listPackages()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return all
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		pkg, names := p.name, p.imports
		if strings.HasPrefix(pkg, "examples/") || pkg == strings.TrimSuffix(module, "/") {
			continue
		}
		allowed, known := imports[pkg]
		if !known {
			t.Errorf("package %s is not in the table of imports", pkg)
		}
		for _, imported := range names {
			name, ours := strings.CutPrefix(imported, module)
			if ours && !slices.Contains(strings.Fields(allowed), name) {
				t.Errorf("%s imports %s, which it may not", pkg, name)
			}
		}
	}
}

func TestLinks(t *testing.T) {
	deps := make(map[string][]string)
	for _, p := range packages(t) {
		deps[p.name] = p.deps
	}
	for pkg, allowed := range links {
		std := strings.Fields(never[pkg])
		if len(deps[pkg]) == 0 {
			t.Errorf("there is no package %s", pkg)
		}
		for _, dep := range deps[pkg] {
			if slices.Contains(std, dep) {
				t.Errorf("%s links %s", pkg, dep)
			}
			first, _, _ := strings.Cut(dep, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(dep, module) {
				continue // the standard library, or this module
			}
			if !slices.ContainsFunc(strings.Fields(allowed), func(m string) bool { return dep == m || strings.HasPrefix(dep, m+"/") }) {
				t.Errorf("%s links %s, which it may not", pkg, dep)
			}
		}
	}
}

// exampleModules are the modules that only examples may link.
var exampleModules = []string{"github.com/prometheus/", "github.com/urfave/"}

func TestExampleModules(t *testing.T) {
	for _, p := range packages(t) {
		pkg, deps := p.name, p.deps
		if strings.HasPrefix(pkg, "examples/") || pkg == "httpapi/metrics" { // which is for programs with Prometheus
			continue
		}
		for _, dep := range deps {
			if slices.ContainsFunc(exampleModules, func(m string) bool { return strings.HasPrefix(dep, m) }) {
				t.Errorf("%s is not an example, and links %s", pkg, dep)
			}
		}
	}
}
