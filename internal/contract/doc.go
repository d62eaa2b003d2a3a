// Package contract tests the responses of package httpapi against its
// description, httpapi/openapi.yaml. It is a separate module, so that users of
// httpapi do not depend on the libraries of its tests. It also contains mkdocs,
// which generates the page at /docs from the description.
package contract
