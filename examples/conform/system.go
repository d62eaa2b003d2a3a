package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// An Answer is what a system says about a case.
type Answer struct {
	Is     string `json:"got"`
	Detail string `json:"detail"` // what the answer was read from
}

// A system answers a case.
type system func(ctx context.Context, c *Case) Answer

// A Template connects a system. README.md explains it.
type Template struct {
	Name      string            `json:"name"`
	Docs      string            `json:"docs"`  // where the interface is described
	Lists     []string          `json:"lists"` // the lists that the system has; empty: all
	Chains    map[string]string `json:"chains"`
	PerSecond float64           `json:"per_second"` // how often it may be asked; 0: as fast as it answers

	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`

	Command []string `json:"command"`

	Answers []struct {
		When rule   `json:"when"`
		Is   string `json:"is"`
	} `json:"answers"`
}

// readTemplate reads the template of this example with that name, or a template from a file.
func readTemplate(name string) (*Template, error) {
	text, err := files.ReadFile("templates/" + name + ".json")
	if err != nil {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	t := new(Template)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.Answers) == 0 || t.Name == "" || t.URL == "" == (len(t.Command) == 0) {
		return nil, fmt.Errorf("%s: want a name, answers, and either a url or a command", name)
	}
	for _, a := range t.Answers {
		if a.Is != isListed && a.Is != isNotListed && a.Is != isError && a.Is != isNotTried {
			return nil, fmt.Errorf("%s: an answer is %q, want %s, %s, %s or %s", name, a.Is, isListed, isNotListed, isError, isNotTried)
		}
	}
	return t, nil
}

// fill replaces the placeholders in text by what c asks, as escape writes it.
func (t *Template) fill(text string, c *Case, escape func(string) string) string {
	chain, _ := address.ParseChain(c.Asked.Chain)
	name := c.Asked.Chain
	if len(t.Chains) > 0 {
		name = t.Chains[name]
	}
	return strings.NewReplacer("{address}", escape(c.Asked.Text), "{chain}", escape(name), "{slug}", escape(string(chain)),
		"{ticker}", escape(c.Asked.Ticker), "{caip2}", escape(c.Asked.CAIP2)).Replace(text)
}

// untried returns why a case cannot be put to the system, or "".
func (t *Template) untried(c *Case) string {
	switch {
	case c.Lists != nil:
		return "it needs lists of its own"
	case len(t.Chains) > 0 && t.Chains[c.Asked.Chain] == "":
		return "the template has no name for the chain"
	case c.Listed != nil && len(t.Lists) > 0 && !strings.Contains(" "+strings.Join(t.Lists, " ")+" ", " "+c.Listed.List+" "):
		return "the system does not have the list"
	}
	return ""
}

// answer reads a response with the first rule that fits.
func (t *Template) answer(r response) Answer {
	_ = json.Unmarshal(r.body, &r.value) // not JSON: no path has a value
	for _, a := range t.Answers {
		if a.When.fits(&r) {
			return Answer{a.Is, r.String()}
		}
	}
	return Answer{isNotTried, "no rule fits " + r.String()}
}

// ask returns the system behind the template. getenv has the values of ${…}.
func (t *Template) ask(getenv func(string) string) (system, error) {
	var missing []string
	expand := func(s string) string {
		return os.Expand(s, func(name string) string {
			v := getenv(name)
			if v == "" {
				missing = append(missing, name)
			}
			return v
		})
	}
	to := *t
	to.URL = expand(t.URL)
	to.Headers = make(map[string]string)
	for k, v := range t.Headers {
		to.Headers[k] = expand(v)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s needs the environment variables %s", t.Name, strings.Join(missing, ", "))
	}
	var pace <-chan time.Time
	if t.PerSecond > 0 {
		pace = time.Tick(time.Duration(float64(time.Second) / t.PerSecond))
	}
	return func(ctx context.Context, c *Case) Answer {
		if why := to.untried(c); why != "" {
			return Answer{isNotTried, why}
		}
		if pace != nil {
			<-pace
		}
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		do := to.request
		if len(to.Command) > 0 {
			do = to.run
		}
		r, err := do(ctx, c)
		if err != nil {
			return Answer{isNotTried, err.Error()}
		}
		return to.answer(r)
	}, nil
}

func (t *Template) request(ctx context.Context, c *Case) (r response, err error) {
	inURL := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	inJSON := func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) }
	inBody := inJSON
	if strings.Contains(t.Headers["Content-Type"], "form-urlencoded") {
		inBody = inURL
	}
	req, err := http.NewRequestWithContext(ctx, t.Method, t.fill(t.URL, c, inURL), strings.NewReader(t.fill(t.Body, c, inBody)))
	if err != nil {
		return r, err
	}
	for k, v := range t.Headers {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	r.status = res.StatusCode
	r.body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return r, err
}

func (t *Template) run(ctx context.Context, c *Case) (r response, err error) {
	args := make([]string, len(t.Command))
	for i, s := range t.Command {
		args[i] = t.fill(s, c, func(s string) string { return s })
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	r.body, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		r.exit, err = exit.ExitCode(), nil
	}
	r.command = true
	return r, err
}

// ours returns package screening with the bundled lists, asked in-process.
func ours(ctx context.Context) (system, error) {
	held, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		return nil, err
	}
	if _, err := held.Refresh(ctx); err != nil {
		return nil, err
	}
	return func(ctx context.Context, c *Case) Answer {
		s := held
		if c.Lists != nil {
			served := &served{documents: c.Lists.Documents, Source: ofac.New(nil)}
			opts := &screening.Options{}
			if c.Lists.MaxAge > 0 {
				opts.MaxPublished = map[string]time.Duration{served.Info().ID: time.Duration(c.Lists.MaxAge) * 24 * time.Hour}
			}
			if s, err = screening.New([]sources.Source{served}, opts); err != nil {
				return Answer{isNotTried, err.Error()}
			}
			for range c.Lists.Documents {
				s.Refresh(ctx) // a refused list is what some cases are about
			}
		}
		r, _, err := s.ScreenInput(c.Asked.Chain, c.Asked.Text)
		switch {
		case len(r.Labels) > 0:
			return Answer{isListed, fmt.Sprintf("%s, entry %s, match %s", r.Labels[0].Source, r.Labels[0].Ref, r.Labels[0].Match)}
		case err != nil:
			return Answer{isError, err.Error()}
		case len(r.Doubts) > 0:
			return Answer{isError, fmt.Sprintf("no match, but in doubt: %s", r.Doubts)}
		}
		return Answer{isNotListed, string(r.Level)}
	}, nil
}

// served is OFAC's list as a publisher serves it: one document at each load, one after
// the other.
type served struct {
	sources.Source
	documents []string
}

func (s *served) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	name := s.documents[0]
	if len(s.documents) > 1 {
		s.documents = s.documents[1:]
	}
	f, err := files.Open(path.Join("cases/lists", name))
	if err != nil {
		return sources.Revision{}, err
	}
	defer f.Close()
	return ofac.Parse(f, add)
}
