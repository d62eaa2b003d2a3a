package browser_test

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the picture of the page in the README again")

// changing matches what a user sees differently on another day: times and ages.
var changing = regexp.MustCompile(`[0-9,]+ (second|minute|hour|day)s?|[0-9]+ [A-Z][a-z]{2} 20[0-9]{2}, [0-9:]+ UTC|just now|Checked .*|Published .*|[^\n]* (is|are) not current`)

// program returns the file of the program, which the first test builds.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "walletscreen")
	if err != nil {
		return "", err
	}
	shared.cancel = append(shared.cancel, func() { os.RemoveAll(dir) })
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "walletscreen"), "./examples/walletscreen")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Join(dir, "walletscreen"), nil
})

// run runs the program until it ends, and returns its exit code and what it prints.
func run(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(file, args...)
	c.Env = withoutOptions()
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

// withoutOptions returns the environment without options of the program.
func withoutOptions() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "WALLETSCREEN_") })
}

// serveProgram runs the program on its bundled lists, with a directory of its own, and returns the URL of its page, with the key.
func serveProgram(t *testing.T, dir string) string {
	t.Helper()
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	const key = "wsk_picture_0123456789abcdef0123"
	program := exec.Command(file, "serve", "-offline", "-addr", addr, "-data", filepath.Join(dir, "data"), "-api-key", key)
	program.Env = withoutOptions()
	var said bytes.Buffer
	program.Stdout, program.Stderr = &said, &said
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() { program.Process.Kill(); program.Wait() })
	t.Cleanup(stop)
	for range 1800 {
		if r, err := http.Get("http://" + addr + "/"); err == nil {
			r.Body.Close()
			return "http://" + addr + "/#key=" + key
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	t.Fatalf("the program does not answer: %s", said.String())
	return ""
}

// TestPicture compares the picture of the page that the README shows with what the program
// shows on its bundled lists: they may differ in times only. The words of the picture are in
// testdata/picture.txt. With -update it takes both again.
func TestPicture(t *testing.T) {
	const name, words, width, height, maxSize = "../../httpapi/page/picture.png", "testdata/picture.txt", 1240, 900, 150_000
	b := open(t, serveProgram(t, t.TempDir()), view{"light", width})
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	b.wait(t, has("#health", "current"))
	screenOne(lazarus)(t, b)
	b.do(t, `document.activeElement.blur(); scrollTo(0, 0)`)
	b.messages(t) // waits until the page is drawn
	// The words that are at least partly on the first screen.
	said := eval[string](t, b, `[...document.querySelectorAll("h2, h3, p, dt, dd, button, summary")]
		.filter(e => { const r = e.getBoundingClientRect(); return r.height > 1 && r.width > 1 && r.top < innerHeight && !e.closest("[hidden]"); })
		  .map(e => e.innerText.replaceAll("\n", " ").trim()).filter(Boolean).join("\n") + "\n"`)
	if *update {
		shot, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(name, shrink(t, shot.Data), 0o644), os.WriteFile(words, []byte(said), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	had, err := os.ReadFile(words)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := changing.ReplaceAllString(said, "TIME"), changing.ReplaceAllString(string(had), "TIME"); got != want {
		t.Errorf("the page shows\n%s\nand the picture in the README shows\n%s\nrun the test with -update", got, want)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width != width || c.Height != height || len(data) > maxSize {
		t.Errorf("%s is %d by %d pixels in %d bytes, %v; want %d by %d in at most %d", name, c.Width, c.Height, len(data), err, width, height, maxSize)
	}
}

// shrink reduces a PNG to its 256 most frequent colors.
func shrink(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[color.Color]int{}
	bounds := img.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			counts[img.At(x, y)]++
		}
	}
	palette := color.Palette(slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int { return cmp.Compare(counts[b], counts[a]) }))
	palette = palette[:min(256, len(palette))]
	nearest := map[color.Color]uint8{}
	for c := range counts {
		nearest[c] = uint8(palette.Index(c))
	}
	small := image.NewPaletted(bounds, palette)
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			small.SetColorIndex(x, y, nearest[img.At(x, y)])
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
