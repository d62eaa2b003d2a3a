package mapfile

import "syscall"

// adviseHuge asks for huge pages, which are faster to fault in and to address. It ignores
// errors: without huge pages everything works, but more slowly.
func adviseHuge(b []byte) { syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
