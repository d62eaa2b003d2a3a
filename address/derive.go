package address

import (
	"crypto/sha256"
	"slices"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// derivations are what a key determines: further keys of its owner, computed from the bytes of a
// key of a class. No line leads back. Therefore an index files an entry under all keys of its
// address, and a question looks up all keys of its own: whichever of the two is listed, they meet.
// What an account determines by the rules of its own chain is said at its codec, in the field also.
// testdata/derivations.txt has a pair of addresses for each.
var derivations = [...]struct {
	from   identity.Class
	derive func(ks *keys, b []byte)
}{
	// The script that wraps a witness program; BIP-141, "P2WPKH nested in BIP16 P2SH".
	{identity.Hash160, func(ks *keys, b []byte) { ks.addWrapped(identity.Hash160, b) }},
	{identity.WitnessScript, func(ks *keys, b []byte) { ks.addWrapped(identity.WitnessScript, b) }},
	// The hashes of the two public keys with an x coordinate, which have one secret.
	{identity.Secp256k1, (*keys).addHashes},
	// What the EVM of a Substrate chain calls an account, and the accounts that
	// stand for an Ethereum key: pallet_revive, AccountId32Mapper; EvmAddressMapping
	// of Acala; ExtendedAddressMapping of Hydration.
	{identity.Substrate, func(ks *keys, b []byte) {
		ks.addKeccak(b)
		switch {
		case string(b[20:]) == "\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee":
			ks.add(identity.KeccakHash, b[:20])
		case (string(b[:4]) == "evm:" || string(b[:4]) == "ETH\x00") && string(b[24:]) == "\x00\x00\x00\x00\x00\x00\x00\x00":
			ks.add(identity.KeccakHash, b[4:24])
		}
	}},
}

// derived tells what identity.Tag says of a key of each class: whether others follow
// from it, and whether these are scripts alone.
var derived = func() (flags [identity.Classes]uint64) {
	for _, d := range derivations {
		flags[d.from] = identity.MoreKeys
		if d.from == identity.Hash160 || d.from == identity.WitnessScript {
			flags[d.from] |= identity.OnlyScripts
		}
	}
	return flags
}()

// maxKeys is the maximum number of keys of one address. A user of conflux has the most.
const maxKeys = 24

type keys struct {
	n   int
	all [maxKeys]Key
	buf [32]byte // of derive, because what a function variable gets is on the heap
	key [33]byte // of addHashes
}

// add adds the key of class c with the bytes b, at most 32, if it is not there yet.
func (ks *keys) add(c identity.Class, b []byte) {
	k := makeKey(c, b)
	if !slices.Contains(ks.all[:ks.n], k) {
		ks.all[ks.n] = k
		ks.n++
	}
}

func (ks *keys) addHashed(c identity.Class, b []byte) {
	sum := sha256.Sum256(b)
	ks.add(c, sum[:])
}

// addKeccak adds the Ethereum account that is named by the hash of b.
func (ks *keys) addKeccak(b []byte) {
	sum := keccak256(b)
	ks.add(identity.KeccakHash, sum[12:])
}

func (ks *keys) addWrapped(c identity.Class, b []byte) {
	script, _ := identity.Wrap(c, makeKey(c, b).words)
	hash := identity.Bytes(script)
	ks.add(identity.ScriptHash, hash[:20])
}

// addHashes adds the hashes of both public keys with the x coordinate b.
func (ks *keys) addHashes(b []byte) {
	key := &ks.key
	key[0] = 2
	copy(key[1:], b)
	xy, ok := decompress(*key)
	if !ok {
		return
	}
	for range 2 {
		hash, decred := hash160(key[:]), blake160(key[:])
		ks.add(identity.Hash160, hash[:])
		ks.add(identity.Blake160, decred[:])
		ks.addKeccak(xy[:])
		key[0] = 3
		xy, _ = decompress(*key)
	}
}

// derive adds what follows from the keys, and what follows from that.
func (ks *keys) derive() {
	for i := 0; i < ks.n; i++ {
		k := &ks.all[i]
		if c := k.class; derived[c] != 0 {
			b := k.AppendBytes(ks.buf[:0])
			for j := range derivations {
				if derivations[j].from == c {
					derivations[j].derive(ks, b)
				}
			}
		}
	}
}

// showKeys sets rd.keys to the keys that the address in rd, the reader of a, shows.
func (a *Address) showKeys(rd *reader) *keys {
	rd.keys.n = 0
	switch c := a.codec(); {
	case c.keys != nil:
		c.keys(rd, c.account(rd))
	case c.key != 0:
		rd.keys.add(c.key, c.account(rd))
	}
	return &rd.keys
}

// allKeys is showKeys and what follows from the account and from its keys.
func (a *Address) allKeys(rd *reader) *keys {
	ks := a.showKeys(rd)
	if c := a.codec(); c.also != nil {
		c.also(ks, rd, c.account(rd))
	}
	switch a.number {
	case 295: // Hedera; HIP-583
		ks.addNumber(identity.HederaNumber, 0, rd.payload())
	case 314: // Filecoin; FIP-0054
		ks.addNumber(identity.FilecoinNumber, 0xff, rd.payload())
	case 336, // Shiden; pallet_evm::Config in its runtime: AddressMapping is HashedAddressMapping
		592,        // Astar; pallet-unified-accounts, HashedDefaultMappings
		964,        // Bittensor; "Convert Ethereum (H160) Address to Substrate (SS58)" in its documentation
		2241, 3338, // Krest and peaq; calculate_evm_account of peaq-py
		8880, 8881: // Unique and Quartz; as Shiden
		account := makeKey(identity.KeccakHash, rd.payload())
		hash := identity.Bytes(identity.EVMAccount(account.words))
		ks.add(identity.Substrate, hash[:])
	}
	ks.derive()
	return ks
}

// addNumber adds the number of the account for which the bytes of an EVM address
// stand: one byte, zeros, and the number.
func (ks *keys) addNumber(c identity.Class, first byte, b []byte) {
	if b[0] == first && [11]byte(b[1:]) == [11]byte{} && b[12] < 0x80 {
		ks.add(c, b[12:])
	}
}
