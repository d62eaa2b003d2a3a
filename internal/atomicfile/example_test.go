package atomicfile_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
)

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	err = atomicfile.Write(filepath.Join(dir, "state"), 0o600, func(f *os.File) error {
		_, err := f.WriteString("content")
		return err
	})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleSweep() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	fmt.Println(atomicfile.Sweep(dir))
	// Output: <nil>
}
