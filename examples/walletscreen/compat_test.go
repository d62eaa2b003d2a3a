package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/compat"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// isSanctioned is a client in Go of the shape that CHAINALYSIS_API_URL stands for.
func isSanctioned(ctx context.Context, base, key, address string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v1/address/"+address, nil)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return fmt.Sprint("error ", resp.StatusCode)
	}
	var answer struct {
		Identifications []struct {
			Category               string
			Name, Description, URL *string
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err.Error()
	}
	return fmt.Sprint(len(answer.Identifications) > 0)
}

// compileClient returns the client in TypeScript as a program for Node.
func compileClient(t *testing.T) string {
	t.Helper()
	const compiler = "../../internal/browser/node_modules/typescript/bin/tsc"
	if _, err := os.Stat(compiler); err != nil && os.Getenv("CI") == "" {
		t.Skip("npm ci --prefix internal/browser installs the compiler")
	}
	dir := t.TempDir()
	out, err := exec.Command("node", compiler, "--strict", "--target", "es2022", "--module", "es2022", "--outDir", dir, "testdata/clients/trm.ts").CombinedOutput()
	if err == nil {
		err = os.Rename(filepath.Join(dir, "trm.js"), filepath.Join(dir, "trm.mjs"))
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "trm.mjs")
}

// TestCompatClients runs clients of other services against the server, with its URL and key as the
// only change. While a list is stale, the key is wrong or its quota is used up, nobody is clean.
func TestCompatClients(t *testing.T) {
	needPrograms(t, "python3", "node")
	client := compileClient(t)
	texts := []string{listed, strings.ToLower(listed), unlisted, "0x098B716b8aaf21512996dc57eb0615e2383e2f95", unlisted[:41], "not-an-address"}
	ask := map[string]func(url, key string) string{
		"Go": func(url, key string) (all string) {
			for _, text := range texts {
				all += isSanctioned(t.Context(), url, key, text) + "\n"
			}
			return all
		},
	}
	for name, command := range map[string][]string{"Python": {"python3", "testdata/clients/chainalysis.py"}, "TypeScript": {"node", client}} {
		ask[name] = func(url, key string) string {
			cmd := exec.Command(command[0], append(command[1:], texts...)...)
			cmd.Env = append(os.Environ(), "CHAINALYSIS_API_URL="+url, "TRM_API_URL="+url, "CHAINALYSIS_API_KEY="+key, "TRM_API_KEY="+key)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return string(out)
		}
	}
	check := func(what, want string, s *running, key func(client string) string) {
		t.Helper()
		for name, ask := range ask {
			said := strings.ReplaceAll(strings.ToLower(ask(s.url, key(name))), "error ", "")
			if got := strings.Join(strings.Fields(said), " "); got != want { // true: listed, false: clean, or the status
				t.Errorf("%s: %s: %s, want %s", what, name, got, want)
			}
		}
	}
	data := t.TempDir()
	own := strings.TrimPrefix(few(t)[2], "WALLETSCREEN_LIST=OWN=")
	fresh := start(t, append([]string{"-compat", "-data", data, "-list", "OWN=" + own}, shortest...)...)
	defer fresh.stop()
	check("fresh", "true true false 400 400 400", fresh, func(string) string { return fresh.key })
	check("wrong key", "401 401 401 401 401 401", fresh, func(string) string { return "wsk_WRONG" })
	check("quota", "true true 429 429 429 429", fresh, func(client string) string {
		code, token, stderr := call(t, "", "keys", "create", "-data", data, "-id", client, "-quota", "2")
		if code != 0 {
			t.Fatal(stderr)
		}
		return strings.TrimSpace(token)
	})
	screener, err := screening.New([]sources.Source{bundle.EU()}, &screening.Options{MaxPublished: map[string]time.Duration{"EU_CONSOLIDATED": time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys, err := access.Fixed(map[string]string{"a": "wsk_STALE0STALE0STALE0"})
	if err != nil {
		t.Fatal(err)
	}
	stale := httptest.NewServer(compat.New(screener, keys, nil))
	defer stale.Close()
	check("stale", "503 503 503 503 503 503", &running{url: stale.URL}, func(string) string { return "wsk_STALE0STALE0STALE0" })
}

// TestCompatFlags checks the flags of the other interfaces.
func TestCompatFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-compat-kinds SCAM", "needs -compat"}, {"-compat -compat-kinds SPAM", "want all, or some of"},
	} {
		if code, _, stderr := call(t, "", append([]string{"serve"}, strings.Fields(tt.args)...)...); code == 0 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit code %d, %s, want %q", tt.args, code, stderr, tt.want)
		}
	}
	s := start(t, append([]string{"-compat", "-compat-kinds", "scam"}, shortest...)...)
	s.stop()
	if !strings.Contains(s.said+s.log(), "-compat without -max-age") {
		t.Errorf("the server says %s%s", s.said, s.log())
	}
	off := start(t, shortest...)
	defer off.stop()
	if got := isSanctioned(t.Context(), off.url, off.key, listed); got != "error 404" {
		t.Errorf("without -compat: %s", got)
	}
}
