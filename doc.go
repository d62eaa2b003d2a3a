// Package walletscreen is the root of a module that screens crypto wallet addresses
// against sanctions and risk lists. Screening runs in-process; the addresses of your
// customers never leave the machine. This package has no code. Start with one of these:
//
//   - [github.com/walletscreen/walletscreen/screening] answers whether an address is on a
//     list, and how fresh the lists are.
//   - [github.com/walletscreen/walletscreen/address] validates and normalizes addresses,
//     and links addresses of one account. It needs no list.
//   - [github.com/walletscreen/walletscreen/sources] defines what a list is. The packages
//     below it read real lists, sources/bundle links some into your program, and
//     sources/store keeps them across restarts.
//   - [github.com/walletscreen/walletscreen/score] turns matches into points and a level.
//   - [github.com/walletscreen/walletscreen/httpapi] is the HTTP API, a plain
//     http.Handler; examples/server mounts it, and examples/walletscreen is a complete
//     program.
//
// # What an answer means
//
// An answer without labels means that every required list was loaded, and that no list has
// the account in any spelling, or another account of a key that a listed address shows. An
// operator's exceptions are the only listings left out, and the answer shows them. It does
// not mean that the account is harmless.
//
// # What it does not do
//
// The module gives no legal advice, traces neither ownership nor the flow of funds, and
// compares no names. It has no global state, reads no environment variable (except the
// variables of libpq, in the packages for PostgreSQL), and uses no network to answer. No
// goroutine outlives a call, except those that a Close ends. Nothing is loaded before the
// caller asks for it.
package walletscreen
