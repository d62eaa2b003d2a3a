// Package index is an immutable map from identities to sets of values.
package index
