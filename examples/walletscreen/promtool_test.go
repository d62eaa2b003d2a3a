package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPromtool lets Prometheus's own tool check the alerts, the expressions of the dashboard and
// what a server measures, and calculates some alerts over time.
func TestPromtool(t *testing.T) {
	needPrograms(t, "promtool") // in Debian's package prometheus, which .ci/run installs
	dir := t.TempDir()
	promtool := func(stdin string, args ...string) {
		t.Helper()
		cmd := exec.Command("promtool", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v: %s", args, err, out)
		}
	}
	write := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write("alerts.yml", read("alerts.yml"))

	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(read("dashboard.json"), &dashboard); err != nil {
		t.Fatal(err)
	}
	rules, n := "groups:\n  - name: dashboard\n    rules:\n", 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			n++
			expr, _ := json.Marshal(strings.NewReplacer("$__rate_interval", "5m", "$job", ".+", "$instance", ".+").Replace(target.Expr))
			rules += fmt.Sprintf("      - {record: \"panel:%d\", expr: %s}\n", n, expr)
		}
	}
	write("dashboard.yml", []byte(rules))
	promtool("", "check", "rules", "--lint-fatal", "alerts.yml", "dashboard.yml")

	s := startAll(t)
	s.screen(t, lazarus, "ethereum")
	_, measured := get(t, s.ops+"/metrics")
	promtool(measured, "check", "metrics")
	if err := s.stop(); err != nil {
		t.Error(err)
	}

	write("test.yml", []byte(`rule_files: [alerts.yml]
evaluation_interval: 5m
tests:
  - name: a list that is not checked any more, and one of a server that never asks
    interval: 5m
    input_series:
      - {series: 'walletscreen_source_age_seconds{source="OFAC_SDN", instance="a"}', values: '0+300x312'}
      - {series: 'walletscreen_offline{instance="a"}', values: '0x312'}
      - {series: 'walletscreen_source_age_seconds{source="OFAC_SDN", instance="b"}', values: '0+300x312'}
      - {series: 'walletscreen_offline{instance="b"}', values: '1x312'}
    alert_rule_test:
      - {eval_time: 1445m, alertname: WalletscreenListOld}
      - eval_time: 1455m
        alertname: WalletscreenListOld
        exp_alerts:
          - exp_labels: {source: OFAC_SDN, instance: a, severity: critical}
            exp_annotations:
              summary: The list OFAC_SDN was neither loaded nor verified to be unchanged for more than 24 hours.
              runbook: Read in the server's log why the list cannot be loaded; if the publisher has moved it, update the server, and until then compare the publisher's page with the date of the list by hand.
  - name: a required list that was never loaded, and one that is optional
    interval: 1m
    input_series:
      - {series: 'walletscreen_source_loaded{source="EU_CONSOLIDATED", required="true"}', values: '0x20'}
      - {series: 'walletscreen_source_loaded{source="OTHER", required="false"}', values: '0x20'}
    alert_rule_test:
      - {eval_time: 10m, alertname: WalletscreenOptionalListNotLoaded}
      - eval_time: 10m
        alertname: WalletscreenListNotLoaded
        exp_alerts:
          - exp_labels: {source: EU_CONSOLIDATED, required: "true", severity: critical}
            exp_annotations:
              summary: The required list EU_CONSOLIDATED has never been loaded, so nothing is answered.
              runbook: Read why in the server's log, by the id of the source; check that its publisher can be reached from here, and bring the list in with walletscreen lists import if it cannot.
`))
	promtool("", "test", "rules", "test.yml")
}
