// Package browser tests the web pages of the library in a real browser: the page of
// httpapi/page and the documentation of package httpapi. It is a module of its own,
// because it needs Chromium, and axe-core, which "npm ci" in this folder fetches in the
// version of package-lock.json. Screenshots and printed pages are left in the folder
// artifacts.
package browser
