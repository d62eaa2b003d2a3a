package main

import (
	"fmt"
	"slices"
	"strings"
)

// secretFlags are the flags whose values may have a password or a token in them. Each has a second
// variable that ends with _FILE, for secrets that Docker and Kubernetes mount as files.
var secretFlags = []string{"db", "api-key", "rpc", "mirror", "webhook"}

// maxSecret bounds the length of such a file.
const maxSecret = 64 << 10

// withSecretFiles returns env with the contents of the files that such variables name.
func withSecretFiles(env []string) ([]string, error) {
	var all []string
	for _, pair := range env {
		name, file, _ := strings.Cut(pair, "=")
		value, isFile := strings.CutSuffix(name, "_FILE")
		if !isFile || !slices.ContainsFunc(secretFlags, func(flag string) bool { return variableName(flag) == value }) {
			all = append(all, pair)
			continue
		}
		if file == "" {
			continue
		}
		if _, ok := (variable{value, env}).Lookup(); ok {
			return nil, fmt.Errorf("%s and %s are both set: unset one", value, name)
		}
		text, err := readSecret(file, maxSecret)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		secret := strings.TrimSpace(string(text))
		if secret == "" {
			return nil, fmt.Errorf("%s: %s is empty", name, file)
		}
		all = append(all, value+"="+secret)
	}
	return all, nil
}
