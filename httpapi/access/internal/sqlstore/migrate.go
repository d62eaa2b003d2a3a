package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

var (
	// ErrNewer reports that a newer version of this module has migrated the database.
	ErrNewer = errors.New("the database was migrated by a newer version of the program")

	// ErrDamaged reports that the database was changed by something other than this
	// module.
	ErrDamaged = errors.New("the database is damaged")
)

// schema holds the migrations in the order of their names: "0001_…" first. After a
// release, none is changed or undone; a new file is added.
//
//go:embed schema/*.sql
var schema embed.FS

// migrateTime bounds New's wait for another replica that migrates.
const migrateTime = 2 * time.Minute

// migrate runs the migrations that the database has not seen, all or none.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(schema, "schema/*.sql")
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if s.lock != "" {
		if _, err := tx.ExecContext(ctx, s.lock); err != nil {
			return err
		}
	}
	var tables, newer int
	if err := tx.QueryRowContext(ctx, s.hasTable, "walletscreen_migration").Scan(&tables); err != nil {
		return err
	}
	if tables == 0 {
		if _, err := tx.ExecContext(ctx, `create table walletscreen_migration (
	version integer not null primary key,
	digest  text    not null,
	applied bigint  not null
)`); err != nil {
			return err
		}
	}
	if err := tx.QueryRowContext(ctx, `select count(*) from walletscreen_migration where version > $1`, len(names)).Scan(&newer); err != nil {
		return err
	}
	if newer > 0 {
		return fmt.Errorf("%w: only %d of its migrations are known", ErrNewer, len(names))
	}
	for i, name := range names {
		statements, err := schema.ReadFile(name)
		if err != nil {
			return err
		}
		digest, done := fmt.Sprintf("%x", sha256.Sum256(statements)), ""
		err = tx.QueryRowContext(ctx, `select digest from walletscreen_migration where version = $1`, i+1).Scan(&done)
		switch {
		case err == nil && done == digest:
			continue
		case err == nil:
			return fmt.Errorf("%w: its migration %s has another digest", ErrDamaged, name)
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		if _, err := tx.ExecContext(ctx, string(statements)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := tx.ExecContext(ctx, `insert into walletscreen_migration (version, digest, applied) values ($1, $2, $3)`,
			i+1, digest, time.Now().UnixMicro()); err != nil {
			return err
		}
	}
	return tx.Commit()
}
