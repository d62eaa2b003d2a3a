package browser_test

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the picture of the page in the README again")

// TestPicture checks the size of the picture of the page that the README shows. With
// -update it takes the picture: of a verdict, with the lists of newAPI.
func TestPicture(t *testing.T) {
	const name, width, height, maxSize = "../../httpapi/page/picture.png", 1240, 900, 150_000
	if *update {
		b := open(t, newAPI(t, "").URL+"#key="+goodKey, view{"light", width})
		if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)); err != nil {
			t.Fatal(err)
		}
		b.wait(t, has("#health", "current"))
		screenOne(lazarus)(t, b)
		b.do(t, `document.activeElement.blur(); scrollTo(0, 0)`)
		b.messages(t) // waits until the page is drawn
		shot, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, shrink(t, shot.Data), 0o644); err != nil {
			t.Fatal(err)
		}
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
