package httpapi

// sources answers a GET to /api/v1/sources. The answer has no ages, so its tag holds
// until a list is loaded or checked.
func (e *exchange) sources() ([]byte, *problem) {
	if p := e.enter(false); p != nil {
		return nil, p
	}
	status := e.screener.Sources()
	all := make([]source, len(status))
	for i := range status {
		all[i] = newSource(&status[i])
	}
	body := marshal(&e.buf, all)
	tag := etag(body)
	if p := e.compareTag(tag); p != nil {
		return nil, p
	}
	e.setHeader("Etag", tag)
	e.setHeader("Cache-Control", "private, no-cache") // ask each time
	if e.unchanged {
		return nil, nil
	}
	return body, nil
}
