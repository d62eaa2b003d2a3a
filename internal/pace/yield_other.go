//go:build !linux

package pace

// yieldProcessor is not needed where the system takes the processor from who has
// had it for long.
func yieldProcessor() {}
