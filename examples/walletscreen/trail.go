package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

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

// readAuditKey reads the file of -audit-key.
func readAuditKey(name string) ([]byte, error) {
	text, err := readSecret(name, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("-audit-key: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err == nil && len(key) < 32 {
		return nil, fmt.Errorf("-audit-key %s: a key of %d bytes, want at least 32, such as openssl rand -hex 32 prints", name, len(key))
	}
	if err != nil {
		return nil, fmt.Errorf("-audit-key %s: want a key in hex, such as openssl rand -hex 32 prints", name)
	}
	return key, nil
}
