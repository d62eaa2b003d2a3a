package httpapi

import (
	"mime"
	"strings"
)

// checkContent returns the problem of a request whose body is not declared as plain
// JSON. Parameters other than charset have no meaning (RFC 8259) and are ignored.
// Types that end in +json promise a meaning that is not ours.
func (e *exchange) checkContent() *problem {
	if types := e.Header["Content-Type"]; len(types) != 1 || types[0] != "application/json" && !isJSON(types[0]) {
		return &problem{Code: unsupportedMediaType, Detail: "Send the body as Content-Type: application/json, in UTF-8."}
	}
	for _, codings := range e.Header["Content-Encoding"] {
		for coding := range strings.SplitSeq(codings, ",") { // empty ones mean nothing (RFC 9110, section 5.6.1)
			if coding = strings.Trim(coding, " \t"); coding != "" && !strings.EqualFold(coding, "identity") {
				e.setHeader("Accept-Encoding", "identity")
				return &problem{Code: unsupportedMediaType, Detail: "Send the body without a Content-Encoding."}
			}
		}
	}
	return nil
}

// isJSON reports whether a Content-Type is that of JSON in UTF-8.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(dropEmpty(contentType))
	charset, ok := params["charset"]
	return err == nil && media == "application/json" && (!ok || strings.EqualFold(charset, "utf-8"))
}

// dropEmpty returns a Content-Type without its empty parameters, which RFC 9110,
// section 5.6.6, allows and package mime does not. It may change quoted values with
// semicolons, which have no meaning here.
func dropEmpty(contentType string) string {
	b := make([]byte, 0, len(contentType))
	empty := false // whether the current parameter is empty so far
	for _, c := range []byte(contentType) {
		if c == ';' && empty {
			continue
		}
		empty = c == ';' || empty && (c == ' ' || c == '\t')
		b = append(b, c)
	}
	return string(b)
}
