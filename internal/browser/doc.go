// Package browser tests the web pages of the library in a real browser: the page of
// httpapi/page and the documentation of package httpapi. It is a separate module,
// because it needs Chromium, and axe-core, which "npm ci" in this directory installs in
// the version of package-lock.json. The tests save screenshots and printed pages in the
// directory artifacts.
package browser
