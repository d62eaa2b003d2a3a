package httpapi

import "sync"

// Limits of the bytes of large answers that clients have not read yet.
const (
	smallAnswer   = 32 << 10 // not counted
	maxUnread     = 64 << 20 // of all callers
	maxUnreadEach = 16 << 20 // of one caller
)

// answers counts the bytes of large answers until they were written, so that clients that read
// slowly hold a bounded part of the memory.
type answers struct {
	most, mostEach int // maxUnread and maxUnreadEach, but in tests

	mu   sync.Mutex
	all  int
	each map[string]int // by caller ID
}

// hold counts an answer of n bytes, or returns the problem of a caller with too many that are
// unread. With n = 0 it only looks.
func (e *exchange) hold(n int) *problem {
	u := &e.answers
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.all+n > u.most, u.each[e.caller.ID]+n > u.mostEach:
		return &problem{Code: overloaded, Detail: "Too many large answers are not read yet. Read them, and retry after a second."}
	case n == 0:
		return nil
	case u.each == nil:
		u.each = make(map[string]int)
	}
	e.held += n
	u.all += n
	u.each[e.caller.ID] += n
	return nil
}

// release ends the counting of the answer of e.
func (e *exchange) release() {
	u := &e.answers
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all -= e.held
	if u.each[e.caller.ID] -= e.held; u.each[e.caller.ID] == 0 {
		delete(u.each, e.caller.ID)
	}
	e.held = 0
}
