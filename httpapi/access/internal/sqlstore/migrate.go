package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
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
	done, err := s.migrations(ctx, tx)
	if err != nil {
		return err
	}
	if len(done) > len(names) {
		return fmt.Errorf("%w: it has %d migrations, but only %d are known", ErrNewer, len(done), len(names))
	}
	for i, name := range names {
		statements, err := schema.ReadFile(name)
		if err != nil {
			return err
		}
		hash := sha256.Sum256(statements)
		digest := hex.EncodeToString(hash[:])
		if i < len(done) {
			if done[i] != digest {
				return fmt.Errorf("%w: its migration %s has another digest", ErrDamaged, name)
			}
			continue
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

// migrations returns the digests of the migrations that were run.
func (s *Store) migrations(ctx context.Context, tx *sql.Tx) ([]string, error) {
	var tables int
	if err := tx.QueryRowContext(ctx, s.hasTable, "walletscreen_migration").Scan(&tables); err != nil {
		return nil, err
	}
	if tables == 0 {
		_, err := tx.ExecContext(ctx, `create table walletscreen_migration (
	version integer not null primary key,
	digest  text    not null,
	applied bigint  not null
)`)
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `select version, digest from walletscreen_migration order by version`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var done []string
	for rows.Next() {
		var version int
		var digest string
		if err := rows.Scan(&version, &digest); err != nil {
			return nil, err
		}
		done = append(done, digest)
		if version != len(done) {
			return nil, fmt.Errorf("%w: migration %d is recorded as %d", ErrDamaged, len(done), version)
		}
	}
	return done, rows.Err()
}
