package main

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/walletscreen/walletscreen/httpapi/audit"
)

// openTrail opens the audit trail of -audit, and returns nil if there is none.
func openTrail(c *serveOptions, log *slog.Logger) (*audit.Log, error) {
	if c.audit == "" {
		if c.auditKey != "" || c.auditDurable || c.auditKeep != 0 || c.auditWitness != "" {
			return nil, errors.New("-audit-key, -audit-durable, -audit-keep and -audit-witness need -audit, the directory of the records")
		}
		return nil, nil
	}
	opts := &audit.Options{Durable: c.auditDurable, MaxAge: c.auditKeep, Logger: log, Witness: c.auditWitness}
	if opts.Witness == "" && c.lists.data != "" {
		opts.Witness = filepath.Join(c.lists.data, filepath.Base(filepath.Clean(c.audit))+".witness")
	}
	if inside, err := filepath.Rel(absolute(c.audit), absolute(c.auditWitness)); c.auditWitness != "" && err == nil && filepath.IsLocal(inside) {
		return nil, fmt.Errorf("-audit-witness %s: want a file outside the directory of -audit, with which it would be put back", c.auditWitness)
	}
	if c.auditKey != "" {
		var err error
		if opts.HashKey, err = readAuditKey(c.auditKey); err != nil {
			return nil, err
		}
	}
	trail, err := audit.Open(c.audit, opts)
	if err != nil {
		return nil, fmt.Errorf("-audit: %w", err)
	}
	return trail, nil
}
