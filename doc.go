// Package walletscreen is the root of a module that screens crypto wallet
// addresses against sanctions and risk lists, in-process: no address of a
// customer leaves the machine. This package has no code. Start with one of
// these:
//
//   - [github.com/walletscreen/walletscreen/screening] answers whether an
//     address is on a list, and how sure we are of our own data.
//   - [github.com/walletscreen/walletscreen/address] validates and normalises
//     addresses, and knows which of them are one account. It needs no list.
//   - [github.com/walletscreen/walletscreen/sources] says what a list is; the
//     packages below it read the real ones, sources/bundle holds some of them,
//     dated, to begin with, and sources/store keeps them over a restart.
//   - [github.com/walletscreen/walletscreen/score] turns what was found into
//     points and a level.
//   - [github.com/walletscreen/walletscreen/httpapi] is the HTTP face, a plain
//     http.Handler; examples/walletscreen is a program around it.
//
// # What an answer means
//
// An answer without labels means that every required list was loaded whole, and
// that no list has the account, in whatever spelling, nor another account of a key
// that a listed address shows, unless an operator's exception takes that out of the
// answer, which shows then. It does not mean that the account is harmless. This module gives no legal advice. It does not trace
// ownership or the flow of funds, and it compares no names.
//
// # What it does not do
//
// There is no global state, no environment variable (but for those of libpq in
// httpapi/access/sqlstore/postgres), and no network on the path of a question. No goroutine
// is left when a call returns, but for those of what has a Close. Nothing is loaded
// before the caller asks for it.
package walletscreen
