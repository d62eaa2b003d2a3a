package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v3"

	modversion "github.com/walletscreen/walletscreen/internal/version"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// A buildVersion says what a program is made of.
type buildVersion struct {
	Module  string     `json:"module"`
	Version string     `json:"version"`
	Commit  string     `json:"commit,omitempty"`
	Time    string     `json:"commit_time,omitempty"`
	Changed bool       `json:"modified,omitempty"`
	Go      string     `json:"go"`
	System  string     `json:"system"`
	Scoring string     `json:"scoring"`
	Bundled []jsonList `json:"bundled_lists"`
}

func (p *program) versionCommand() *cli.Command {
	return p.command("version", "[flags]", "prints the versions of the program and its lists", "",
		[]cli.Flag{boolFlag("json", "print it as JSON", &p.json)}, func(ctx context.Context, _ []string) error {
			v := newVersion()
			s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
			if err != nil {
				return err
			}
			if _, err := s.Refresh(ctx); err != nil {
				return err
			}
			v.Bundled = jsonLists(s.Sources())
			if p.json {
				p.printJSON(v)
				return nil
			}
			t := layout{}
			t.add("walletscreen", v.Version)
			if v.Commit != "" {
				changed := ""
				if v.Changed {
					changed = ", with changes that are not committed"
				}
				t.add("commit", v.Commit+" of "+v.Time+changed)
			}
			t.add("scoring", v.Scoring)
			t.add("go", v.Go+" "+v.System)
			t.print(p)
			fmt.Fprint(p, "\nBundled lists:\n")
			printLists(p, s.Sources(), time.Now())
			printProvenance(p, s.Sources())
			return nil
		})
}

// newVersion returns the versions that the build recorded.
func newVersion() buildVersion {
	v := buildVersion{Version: modversion.Module(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Scoring: score.Latest().Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Module = info.Main.Path
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Changed = s.Value == "true"
		}
	}
	return v
}
