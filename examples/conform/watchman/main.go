// Watchman asks moov-io/watchman the cases of examples/conform. It builds watchman's server
// from the released module that go.mod names, and starts it on the loopback interface with
// the bundled list of OFAC. The first build takes some minutes.
//
//	go -C examples/conform/watchman run .
//
// It passes its arguments on to conform.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Stdout, os.Args[1:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "watchman:", err)
		os.Exit(2)
	}
}

// run starts watchman and asks it all cases. The table goes to stdout.
func run(ctx context.Context, stdout io.Writer, args ...string) error {
	dir, err := os.MkdirTemp("", "watchman")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	conform, err := build(ctx, dir, "..", ".")
	if err != nil {
		return err
	}
	url, stop, err := start(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	cmd := exec.CommandContext(ctx, conform, append([]string{"-system", "http", "-config", "watchman"}, args...)...)
	cmd.Env = append(os.Environ(), "WATCHMAN_URL="+url)
	cmd.Stdout, cmd.Stderr = stdout, os.Stderr
	return cmd.Run()
}

// start starts watchman with files in dir, and returns its URL once it answers.
func start(ctx context.Context, dir string) (url string, stop func(), err error) {
	if err := writeLists(ctx, dir); err != nil {
		return "", nil, err
	}
	program, err := build(ctx, dir, ".", "github.com/moov-io/watchman/cmd/server")
	if err != nil {
		return "", nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return "", nil, err
	}
	admin, err := freeAddr()
	if err != nil {
		return "", nil, err
	}
	config := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("Watchman:\n  Servers:\n    BindAddress: %q\n    AdminAddress: %q\n", addr, admin)
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		return "", nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", nil, err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), "APP_CONFIG="+config, "INITIAL_DATA_DIRECTORY="+dir, "INCLUDED_LISTS=us_ofac")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	for range 300 {
		if res, err := http.Get("http://" + addr + "/ping"); err == nil {
			res.Body.Close()
			return "http://" + addr, stop, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	out, _ := os.ReadFile(log.Name())
	return "", nil, fmt.Errorf("watchman does not answer:\n%s", out)
}

// build builds a program of the module in the folder mod, and returns its file in dir.
func build(ctx context.Context, dir, mod, program string) (string, error) {
	name := filepath.Join(dir, "bin-"+filepath.Base(program))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", name, program)
	cmd.Dir = mod
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", program, err, out)
	}
	return name, nil
}

// freeAddr returns an address of the loopback interface that nobody listens on.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// writeLists writes the bundled list of OFAC into dir in the form of sdn.csv: a party is a
// row, and its addresses are in its remarks. OFAC continues long remarks in
// sdn_comments.csv; here they are whole, so that no address is cut.
func writeLists(ctx context.Context, dir string) error {
	type party struct{ ref, name string }
	remarks := make(map[party][]string)
	var parties []party
	_, err := bundle.OFAC().Load(ctx, sources.Revision{}, func(e sources.Entry) error {
		p := party{e.Ref, e.Name}
		if remarks[p] == nil {
			parties = append(parties, p)
		}
		word := "Digital Currency Address - " + e.Asset + " "
		if slices.ContainsFunc(remarks[p], func(s string) bool { return strings.HasPrefix(s, word) }) {
			word = "alt. " + word
		}
		remarks[p] = append(remarks[p], word+sources.TrimListed(e.Text()))
		return nil
	})
	if err != nil {
		return err
	}
	var sdn [][]string
	for i, p := range parties {
		ref := cmp.Or(p.ref, strconv.Itoa(900000+i)) // the newest parties of the bundle have no number
		row := []string{ref, p.name}
		for range 9 {
			row = append(row, "-0- ")
		}
		sdn = append(sdn, append(row, strings.Join(remarks[p], "; ")+"."))
	}
	var b bytes.Buffer
	err = csv.NewWriter(&b).WriteAll(sdn)
	b.WriteByte(0x1A) // as OFAC ends the file
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "sdn.csv"), b.Bytes(), 0o666))
	for _, name := range []string{"sdn_comments.csv", "add.csv", "alt.csv"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	return err
}
