// Package wire writes JSON in the form in which it leaves a program.
package wire

import (
	"bytes"
	"encoding/json"

	"github.com/walletscreen/walletscreen/internal/visible"
)

// JSON returns the JSON of v, in which HTML is as it is, and characters that nobody sees are escaped.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return visible.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}
