// Package version says which version of the module a program was built from.
package version

import (
	"cmp"
	"runtime/debug"
	"sync"
)

const modulePath = "github.com/walletscreen/walletscreen"

// stamped is the version that the linker writes, for a build without a repository such
// as the build of the image: -ldflags "-X
// github.com/walletscreen/walletscreen/internal/version.stamped=v1.2.3".
var stamped string

// Module returns the version of this module in the running program, or "(devel)" if
// nothing says it.
func Module() string { return module() }

var module = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return cmp.Or(stamped, in(info), "(devel)")
})

// in returns the version of this module in a program, and "" if nothing says it. A module that stands in for
// it, such as the clone of a nested module, has the version.
func in(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == modulePath {
			return cmp.Or(m.Replace, m).Version
		}
	}
	return ""
}
