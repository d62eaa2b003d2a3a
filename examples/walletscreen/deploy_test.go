package main

import (
	"crypto/tls"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// scrapeAll returns the labels that each metric has, of a server that has
// everything turned on and has answered some requests.
func scrapeAll(t *testing.T) map[string][]string {
	c := newTLSConfig(t)
	cert, key := newPair(t, 1)
	writePair(t, c, cert, key)
	customers := filepath.Join(t.TempDir(), "customers.csv")
	if err := os.WriteFile(customers, []byte("id,chain,address\n1,ethereum,"+harmless+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startAll(t, "-tls-cert", c.tlsCert, "-tls-key", c.tlsKey, "-book", customers, "-webhook", "http://127.0.0.1:1/")
	s.client = trusting(t, tls.VersionTLS13, cert)
	s.screen(t, harmless, "ethereum")
	s.screen(t, lazarus, "ethereum")
	s.screen(t, mistyped, "bitcoin")
	labels := map[string][]string{}
	for _, x := range s.scrape(t) {
		labels[x.name] = slices.Collect(maps.Keys(x.labels))
	}
	if err := s.stop(); err != nil { // before its directory is removed
		t.Error(err)
	}
	return labels
}

// An expression lists the names in an expression of PromQL.
type expression struct {
	metrics  []string
	matchers map[string][]string // labels in braces, by metric
	groups   []string            // labels in "by (…)"
}

// token matches a word, with the parenthesis that makes it a function or a
// grouping; braces or brackets with their content; a string; a number; or any
// other character.
var token = regexp.MustCompile(`[a-zA-Z_]\w*(?:\s*\()?|\{[^}]*\}|\[[^\]]*\]|"[^"]*"|[0-9.]+[a-z]*|\S`)

// parseExpression finds what an expression names. It knows as much of PromQL as
// the files use.
func parseExpression(t *testing.T, text string) expression {
	t.Helper()
	e := expression{matchers: map[string][]string{}}
	tokens := token.FindAllString(text, -1)
	for i := 0; i < len(tokens); i++ {
		word, isCall := strings.CutSuffix(tokens[i], "(")
		word = strings.TrimSpace(word)
		switch {
		case (word == "by" || word == "on") && isCall:
			for i++; tokens[i] != ")"; i++ {
				if tokens[i] != "," {
					e.groups = append(e.groups, tokens[i])
				}
			}
		case isCall && slices.Contains([]string{"", "absent", "count", "histogram_quantile", "increase", "max", "min", "rate", "sum", "time", "topk"}, word):
		case slices.Contains([]string{"max", "min", "sum", "count", "offset", "unless"}, word):
		case regexp.MustCompile(`^[a-z_]+$`).MatchString(word) && !isCall:
			e.metrics = append(e.metrics, word)
			if i+1 < len(tokens) && strings.HasPrefix(tokens[i+1], "{") {
				for _, m := range regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`).FindAllStringSubmatch(tokens[i+1], -1) {
					e.matchers[word] = append(e.matchers[word], m[1])
				}
			}
		case regexp.MustCompile(`^[\[{"0-9.(),+*/<>=-]`).MatchString(tokens[i]):
		default:
			t.Errorf("%s: what is %q?", text, tokens[i])
		}
	}
	return e
}

// check returns the faults in an expression, and in the labels that a text
// about it names, when a server has these metrics.
func (e expression) check(have map[string][]string, named []string) (wrong []string) {
	var all []string
	for _, m := range e.metrics {
		labels, ok := have[m]
		if !ok {
			wrong = append(wrong, "no metric "+m)
		}
		all = append(all, labels...)
		all = append(all, "instance") // which Prometheus adds when it scrapes
		for _, l := range e.matchers[m] {
			if !slices.Contains(labels, l) {
				wrong = append(wrong, m+" has no label "+l)
			}
		}
	}
	if len(e.metrics) == 0 {
		wrong = append(wrong, "no metric")
	}
	for _, l := range append(e.groups, named...) {
		if !slices.Contains(all, l) {
			wrong = append(wrong, "no label "+l)
		}
	}
	return wrong
}

// TestParseExpression checks that the tests below would find mistakes.
func TestParseExpression(t *testing.T) {
	have := map[string][]string{"a_total": {"x", "y"}, "b": nil, "c_bucket": {"le"}}
	for _, tt := range []struct {
		text, named string
		want        []string
	}{
		{`sum by (x, y) (rate(a_total{x="1", y=~"by (z)"}[5m])) / 2 > 0.5 * (b offset 1d)`, "x", nil},
		{`histogram_quantile(0.99, sum by (le) (rate(c_bucket[$__rate_interval])))`, "le", nil},
		{`absent(b) - time()`, "x", []string{"no label x"}},
		{`a_totals`, "x", []string{"no metric a_totals", "no label x"}},
		{`sum by (z) (a_total{z!="1"})`, "x", []string{"a_total has no label z", "no label z"}},
		{`1 > 0`, "x", []string{"no metric", "no label x"}},
	} {
		if got := parseExpression(t, tt.text).check(have, []string{tt.named}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// An alert is one of alerts.yml.
type alert struct{ name, expr, severity, summary, runbook string }

// readAlerts reads the rules as they are written there, which is less than YAML
// allows.
func readAlerts(t *testing.T) (alerts []alert) {
	text, err := os.ReadFile(filepath.Join("deploy", "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if key == "- alert" {
			alerts = append(alerts, alert{name: value})
			continue
		}
		var last alert
		if len(alerts) > 0 {
			last = alerts[len(alerts)-1]
		}
		switch {
		case line == "", strings.HasPrefix(line, "#"), line == "groups:", key == "- name", key == "rules:", key == "annotations:":
			continue
		case key == "expr":
			last.expr = value
		case key == "for" && regexp.MustCompile(`^[0-9hm]+$`).MatchString(value):
		case key == "labels":
			last.severity = strings.TrimSuffix(strings.TrimPrefix(value, "{severity: "), "}")
		case key == "summary":
			last.summary = value
		case key == "runbook":
			last.runbook = value
		default:
			t.Errorf("what is %q?", line)
		}
		alerts[len(alerts)-1] = last
	}
	return alerts
}

// TestAlerts holds the alerts to what a server measures.
func TestAlerts(t *testing.T) {
	have := scrapeAll(t)
	var names []string
	for _, a := range readAlerts(t) {
		names = append(names, a.name)
		var named []string
		for _, m := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(a.summary, -1) {
			named = append(named, m[1])
		}
		for _, wrong := range parseExpression(t, a.expr).check(have, named) {
			t.Errorf("%s: %s", a.name, wrong)
		}
		if a.severity != "critical" && a.severity != "warning" {
			t.Errorf("%s: the severity is %q", a.name, a.severity)
		}
		for _, sentence := range []string{a.summary, a.runbook} {
			if len(strings.Fields(sentence)) < 5 || !strings.HasSuffix(sentence, ".") || strings.Contains(sentence, ": ") {
				t.Errorf("%s: not a sentence, or not one of plain YAML: %q", a.name, sentence)
			}
		}
	}
	want := []string{
		"WalletscreenListNotLoaded",
		"WalletscreenOptionalListNotLoaded",
		"WalletscreenListOld",
		"WalletscreenListPublishedLongAgo",
		"WalletscreenRefreshFailing",
		"WalletscreenListRefused",
		"WalletscreenListShrinking",
		"WalletscreenListNotKept",
		"WalletscreenDown",
		"WalletscreenServerErrors",
		"WalletscreenOverloaded",
		"WalletscreenSlow",
		"WalletscreenAuditFailing",
		"WalletscreenAuditRefusing",
		"WalletscreenQuotaStoreFailing",
		"WalletscreenCertificateExpiring",
		"WalletscreenCertificateNotReplaced",
		"WalletscreenWebhookNotDelivered",
		"WalletscreenWebhookExpired",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the alerts are %q, want %q", names, want)
	}
}

// TestDashboard holds the dashboard to what a server measures.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("deploy", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Templating struct{ List []struct{ Name string } }
		Panels     []struct {
			ID                       int
			Type, Title, Description string
			Targets                  []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var variables []string
	for _, v := range dashboard.Templating.List {
		variables = append(variables, v.Name)
	}
	if want := []string{"datasource", "job", "instance"}; !slices.Equal(variables, want) {
		t.Errorf("the variables are %q, want %q", variables, want)
	}
	have := scrapeAll(t)
	shown := map[string]bool{}
	for i, p := range dashboard.Panels {
		if p.ID != i+1 || p.Title == "" {
			t.Errorf("panel %d has the id %d and the title %q", i+1, p.ID, p.Title)
		}
		if p.Type == "row" {
			continue
		}
		if !strings.HasSuffix(p.Description, ".") || len(p.Targets) == 0 {
			t.Errorf("%s: %q, %d targets", p.Title, p.Description, len(p.Targets))
		}
		for _, target := range p.Targets {
			var named []string
			for _, m := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(target.LegendFormat, -1) {
				named = append(named, m[1])
			}
			e := parseExpression(t, target.Expr)
			for _, m := range slices.Compact(slices.Sorted(slices.Values(e.metrics))) { // Prometheus adds these when it scrapes
				if got := e.matchers[m]; !slices.Contains(got, "job") || !slices.Contains(got, "instance") {
					t.Errorf("%s: %s is not chosen by $job and $instance", p.Title, m)
				}
				e.matchers[m] = slices.DeleteFunc(e.matchers[m], func(l string) bool { return l == "job" || l == "instance" })
			}
			for _, wrong := range e.check(have, named) {
				t.Errorf("%s: %s", p.Title, wrong)
			}
			for _, m := range e.metrics {
				shown[m] = true
			}
		}
	}
	for _, a := range readAlerts(t) {
		for _, m := range parseExpression(t, a.expr).metrics {
			shown[m] = true
		}
	}
	for m := range have {
		base := strings.TrimSuffix(strings.TrimSuffix(m, "_count"), "_sum")
		if strings.HasPrefix(m, "walletscreen_") && !shown[m] && !shown[base+"_bucket"] {
			t.Errorf("%s is neither on the dashboard nor in an alert", m)
		}
	}
}

// TestSettings holds what starts the server to the flags that it has.
func TestSettings(t *testing.T) {
	read := func(name, pattern string) [][]string {
		text, err := os.ReadFile(filepath.Join("deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`(?m)^`+pattern+`$`).FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Fatalf("%s: nothing found", name)
		}
		return found
	}
	var env []string
	for _, m := range read("Dockerfile", `ENV (\w+)=(.*)`) {
		env = append(env, m[1]+"="+m[2])
	}
	strict := func(data string) listOptions {
		return listOptions{data: data, require: []string{"all"}, maxAge: 48 * time.Hour}
	}
	want := &serveOptions{addr: ":8080", opsAddr: ":9090", lists: strict("/data"), logFormat: "json", logLevel: "info", drainDelay: 5 * time.Second}
	if got := options(t, env); !reflect.DeepEqual(got, want) {
		t.Errorf("Dockerfile: %+v, want %+v", got, want)
	}
	args := strings.Fields(strings.ReplaceAll(read("walletscreen.service", `ExecStart=\S+ serve (.*)`)[0][1], "${STATE_DIRECTORY}", "/s"))
	want = &serveOptions{addr: "127.0.0.1:8080", opsAddr: "127.0.0.1:9090", audit: "/s/audit", lists: strict("/s"), logFormat: "text", logLevel: "info"}
	if got := options(t, nil, args...); !reflect.DeepEqual(got, want) {
		t.Errorf("walletscreen.service: %+v, want %+v", got, want)
	}
}
