// Package version says which version of the module a program was built from.
package version

import (
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
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
			if m.Path == modulePath && m.Version != "" {
				return m.Version
			}
		}
	}
	return "(devel)"
})
