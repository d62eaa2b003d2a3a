package version

import (
	"runtime/debug"
	"testing"
)

func TestIn(t *testing.T) {
	for _, tt := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"its own program", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.2.3"}}, "v1.2.3"},
		{"a program that requires it", debug.BuildInfo{Deps: []*debug.Module{{Path: "x", Version: "v2.0.0"}, {Path: modulePath, Version: "v1.2.3"}}}, "v1.2.3"},
		{"a nested module of a clone", debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v0.0.0",
			Replace: &debug.Module{Path: "../..", Version: "(devel)"}}}}, "(devel)"},
		{"another program", debug.BuildInfo{Main: debug.Module{Path: "x", Version: "v2.0.0"}}, ""},
	} {
		if got := in(&tt.info); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
