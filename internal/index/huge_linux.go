package index

import "syscall"

// adviseHuge asks for huge pages: it takes less to make one ready than the 512 of
// which it is, and where something is in one is found sooner. Without them, all is
// as it was but slower, so the error tells nothing.
func adviseHuge(b []byte) { syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
