// Package browser looks at the page at /docs of httpapi in a real browser. It is a
// module of its own, and has nothing but tests, so that nobody else needs what
// they stand on: Chromium, and axe-core, of which "npm ci" in this folder fetches
// the version in package-lock.json.
package browser
