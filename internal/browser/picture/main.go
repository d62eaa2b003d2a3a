// Picture takes the picture of the page that the README shows. It serves the page and
// the API with made-up lists, opens the page in Chromium, screens an address, and
// writes a PNG.
//
//	go run ./picture -o ../../httpapi/page/picture.png
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	webpage "github.com/walletscreen/walletscreen/httpapi/page"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

const (
	token  = "wsk_only-for-the-picture-of-the-page"
	listed = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"

	width, height = 1240, 900
	maxSize       = 150_000 // bytes
)

func main() {
	out := flag.String("o", "picture.png", "the `file` to write")
	dark := flag.Bool("dark", false, "use the dark color scheme")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	data, err := picture(ctx, *dark)
	if err == nil {
		err = os.WriteFile(*out, data, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d bytes\n", *out, len(data))
}

func picture(ctx context.Context, dark bool) ([]byte, error) {
	dir, err := os.MkdirTemp("", "picture")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	screener, err := load(ctx, st)
	if err != nil {
		return nil, err
	}
	keys, err := access.Fixed(map[string]string{"picture": token})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", webpage.New())
	mux.Handle("/api/", httpapi.NewHandler(screener, keys, &httpapi.Options{Store: st}))
	server := httptest.NewServer(mux)
	defer server.Close()
	shot, err := shoot(ctx, server.URL+"/#key="+token, dark)
	if err != nil {
		return nil, err
	}
	return shrink(shot)
}

// shoot screens the listed address in the page and returns a screenshot.
func shoot(ctx context.Context, url string, dark bool) ([]byte, error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox does not start for root
	}
	ctx, cancel := chromedp.NewExecAllocator(ctx, options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		return nil, err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return nil, err
	}
	said, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => {
		const until = async f => { for (let i = 0; i < 500 && !f(); i++) await new Promise(done => setTimeout(done, 20)); };
		await until(() => document.getElementById("health").textContent.includes("current"));
		const field = document.getElementById("address");
		field.value = "`+listed+`";
		document.getElementById("screen").requestSubmit();
		await until(() => document.querySelector("#result h2"));
		await new Promise(done => setTimeout(done, 500));
		document.activeElement.blur();
		scrollTo(0, 0);
		return document.querySelector("#result h2")?.textContent ?? document.body.innerText;
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, err
	}
	if said != "Critical risk" {
		return nil, fmt.Errorf("the page shows %q, want a verdict of critical risk", said)
	}
	result, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		return nil, err
	}
	return result.Data, nil
}

// shrink reduces a PNG to its 256 most frequent colors.
func shrink(data []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	bounds := img.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	palette := make(color.Palette, 0, 256)
	for _, c := range colors[:min(256, len(colors))] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(bounds, palette)
	nearest := map[color.RGBA]uint8{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			i, ok := nearest[c]
			if !ok {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			small.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small); err != nil {
		return nil, err
	}
	if b.Len() > maxSize {
		return nil, fmt.Errorf("the picture has %d bytes, want at most %d", b.Len(), maxSize)
	}
	return b.Bytes(), nil
}

// A list grows with each load.
type list struct {
	info      sources.Info
	published time.Duration // before now
	sizes     []int         // of the next loads
	entry     *sources.Entry
}

func (l *list) Info() sources.Info { return l.info }

func (l *list) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if len(l.sizes) == 0 {
		return sources.Revision{}, sources.ErrUnchanged
	}
	n := l.sizes[0]
	l.sizes = l.sizes[1:]
	if l.entry != nil {
		n--
		if err := add(*l.entry); err != nil {
			return sources.Revision{}, err
		}
	}
	kind := score.Sanctioned
	if l.info.Jurisdiction == sources.Community {
		kind = score.Scam
	}
	for i := range n {
		a, err := address.Parse("ethereum", fmt.Sprintf("0x%040x", i+1))
		if err != nil {
			return sources.Revision{}, err
		}
		if err := add(sources.Entry{Address: a, Kind: kind, Ref: fmt.Sprint(10000 + i)}); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: fmt.Sprintf("%064x", n), Published: time.Now().Add(-l.published), Records: n + 1}, nil
}

// load returns a Screener with made-up lists, one of them grown several times.
func load(ctx context.Context, st store.Store) (*screening.Screener, error) {
	a, err := address.Parse("ethereum", listed)
	if err != nil {
		return nil, err
	}
	entry := func(kind score.Kind, ref, name, day string) *sources.Entry {
		at, _ := time.Parse(time.DateOnly, day)
		return &sources.Entry{Address: a, Listed: listed, Kind: kind, Ref: ref, Name: name, ListedAt: at}
	}
	lists := []sources.Source{
		&list{sources.Info{ID: "OFAC_SDN", Name: "OFAC SDN", Jurisdiction: sources.US, RefURL: "https://sanctionssearch.ofac.treas.gov/Details.aspx?id={ref}"}, 20 * time.Hour, []int{984, 985, 1002, 1011, 1018},
			entry(score.Sanctioned, "27307", "LAZARUS GROUP", "2022-04-14")},
		&list{sources.Info{ID: "EU_CONSOLIDATED", Name: "EU consolidated list", Jurisdiction: sources.EU}, 4 * 24 * time.Hour, []int{61}, nil},
		&list{sources.Info{ID: "UK_CONSOLIDATED", Name: "UK sanctions list", Jurisdiction: sources.UK}, 9 * 24 * time.Hour, []int{84}, nil},
		&list{sources.Info{ID: "COMMUNITY_BADLIST", Name: "Community bad list", Jurisdiction: sources.Community}, 26 * 24 * time.Hour, []int{24310}, nil},
	}
	s, err := screening.New(lists, &screening.Options{Store: st})
	if err != nil {
		return nil, err
	}
	for range 5 {
		if _, err := s.Refresh(ctx); err != nil && !errors.Is(err, sources.ErrUnchanged) {
			return nil, err
		}
		time.Sleep(1100 * time.Millisecond) // the API has times in whole seconds
	}
	return s, nil
}
