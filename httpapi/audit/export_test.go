package audit

import (
	"os"
	"time"
)

var ErrFull, ErrBroken, ErrClosed = errFull, errBroken, errClosed

// Fail replaces the write and flush functions of l; nil stands for the real
// one. It must be called before Run.
func (l *Log) Fail(write func(f *os.File, text []byte, at int64) (int, error), sync func(*os.File) error) {
	if write != nil {
		l.writer.writeAt = write
	}
	if sync != nil {
		l.writer.sync = sync
	}
}

// Limit sets the limits of l; 0 stands for the real one. It must be called before Run and
// Record.
func (l *Log) Limit(maxBytes int64, maxQueue int, maxWait time.Duration) {
	if maxBytes > 0 {
		l.writer.maxBytes = maxBytes
	}
	if maxQueue > 0 {
		l.maxQueue = maxQueue
	}
	if maxWait > 0 {
		l.maxWait = maxWait
	}
}
