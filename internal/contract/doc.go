// Package contract tests the responses of package httpapi against its
// description, httpapi/openapi.yaml. It is a separate module, so that users of
// httpapi do not depend on the libraries of its tests.
package contract
