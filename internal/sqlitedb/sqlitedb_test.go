package sqlitedb_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/sqlitedb"
)

// TestOwner checks that a database that root creates belongs to the owner of the directory, as root makes a key
// before a server starts.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this needs root")
	}
	const nobody = 65534
	data := t.TempDir()
	if err := os.Chown(data, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	db, err := sqlitedb.Open(filepath.Join(data, "keys.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create table t (n int)"); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = filepath.WalkDir(data, func(path string, _ fs.DirEntry, _ error) error {
		info, err := os.Stat(path)
		if n++; err == nil && !strings.Contains(fmt.Sprintf("%+v", info.Sys()), "Uid:65534 ") {
			t.Errorf("%s belongs to another user: %+v", path, info.Sys())
		}
		return err
	})
	if err != nil || n != 4 {
		t.Errorf("%d files, %v", n, err)
	}
}
