// Package index is an immutable map from identities to sets of values, made for
// lists of any length: from a thousand accounts, which any map holds well, to a
// hundred million, which a map of Go takes half a minute to fill and every
// process fills for itself. An [Index] is answered from as it lies in a file.
//
// A [Builder] makes an Index of keys and values. A [Key] is a class and at most
// 32 bytes. A value is a number that means something to the caller: as a rule
// that of a label. What labels say is not in the map, where it would be there
// once for each key, but beside it: [Builder.Intern] numbers any texts, and a
// text can as well be a label in a form of the caller's, which names other texts
// by their numbers. So one file holds all, and the map knows of none of it.
//
// # Layout
//
// An index is one piece of bytes, the same in memory and in a file, and the same
// on all machines: integers are little-endian, and sections begin at multiples
// of 64 bytes, in this order:
//
//	header    256 bytes
//	table     of keys of at most 20 bytes
//	  filters   8 bytes for each bucket, unless it was built without them
//	  buckets   32 bytes each, and one more
//	  records   24 bytes each
//	table     of keys of 21 to 32 bytes, as before, but for records of 36 bytes
//	sets      8 bytes each, and one more
//	values    4 bytes each
//	ends      4 bytes for each text, and 4 more
//	texts     one after the other
//
// The header, by offsets:
//
//	  0  "wsindex\n"
//	  8  version, 4 bytes: 1
//	 12  size of the header, 4 bytes: 256
//	 16  size of all, 8 bytes, as are the following
//	 24  seed, four words
//	 56  keys of the first table, and at 64 whether it has filters: 1 or 0
//	 72  keys of the second table, and at 80 whether it has filters
//	 88  sets, and at 96 values
//	104  texts, and at 112 their bytes
//	120  digest of all behind the header, 32 bytes
//	152  zeros
//	224  SHA-256 of the 224 bytes before
//
// All counts are below 2^32, and a table of n keys has n/8 buckets, rounded up,
// but never none; so the header says where each section is.
//
// A record is a key and the number of its set: the payload, filled up with zeros
// to 20 or 32 bytes, and 4 bytes. Class and length of the key stand in the set,
// for few kinds of keys share few sets: keys of another class or length have
// another set, even of the same values. That makes 28 bytes for a key of 20
// bytes: 24 for the record, and 32 for each bucket of 8 records on average; and
// one more if there are filters.
//
// The hash of a key, keyed with the seed in the header, is a number of 64 bits.
// Its upper 32 bits, multiplied by the number of buckets and divided by 2^32, are
// the number of the bucket; its lower 16 bits are the fingerprint (1 in the place
// of 0). Records are sorted by hash, and by payload, length and class where
// hashes are equal; so those of a bucket follow one another. A bucket holds the
// number of its first record, in 4 bytes, and the fingerprints of its first 14
// records, in 2 bytes each, 0 if there are fewer. It ends where the next begins,
// which is why there is one more bucket, of nothing but the number of records.
// No bucket has more than 64 records. A filter is a word of 64 bits in which
// every key of a bucket sets four, which the lower 32 bits of its hash choose.
//
// A set is a word of 4 bytes that has the class in its lower half and the length
// in the upper, and the number of its first value, 4 bytes; its values end where
// those of the next set begin, and are in ascending order. Sets are different
// from each other, and in the order in which the records have them first.
//
// # Look-up
//
// A look-up hashes the key, reads the filter if there is one, and then the
// bucket: two words of memory, or one, tell a miss, but for one of several
// thousand. The record is read only where the fingerprint is equal, or where a
// bucket is so full that not all records have one (one bucket of 30). A hit is
// certain: the payload is compared, and class and length are, with the set.
//
// Several small indexes that are asked the same can share a [Filter], which is not
// part of any: one word of memory tells a miss in all of them.
//
// Nothing is ever written, so there is no lock. Nothing is a pointer, so the
// collector has nothing to follow; and an Index of some size is not on the heap
// at all, but mapped. An Index that cannot be reached any more is unmapped by the
// collector; that is why no method returns a slice of the bytes of an Index.
//
// # Determinism and attacks
//
// The same keys, values and texts make the same bytes. The seed must then follow
// from them, too: it is SHA-512 of a sum over all keys and values, which depends
// on neither their order nor repetitions. The lists of communities are written
// to by anybody, and somebody may search for accounts that fall into one bucket
// under the seed they will have. So if a bucket gets more than 64 records, the
// next seed is taken: of the same sum and a counter. Accounts that fall into one
// bucket under one seed are easily found; under two at once, the search is longer
// by as many times as there are buckets, and so on. After 64 seeds, Build gives up.
//
// # Building
//
// What is added is held in chunks off the heap, 28 or 40 bytes each, and divided
// into parts, of some hundred buckets or more. For each set, the least hash of the
// keys that have it is noted meanwhile, so that the order of the sets is known.
// Then each part is sorted, in the cache of a processor and for each of the workers
// apart, and its buckets and records are written where they belong.
//
// Chunks are pieces of slabs, and a slab of which all chunks have been emptied is
// filled again, or given back. Parts that follow one another have slabs of their
// own. So what was added takes as much memory while it is divided as before, and
// less and less while the index is written: building takes a fifth more memory than
// an index of ten million keys has, or the file of it, and half as much again as one
// of a million.
//
// How many buckets there are, and which records are before those of a part, is
// known only if no key was added twice, as is usual. Where one was, its items
// become one, with the set of their values, and nothing more is written. When all
// parts have been sorted, items are made again of the records that were written,
// and all begins again with what remains; so it does, with the next seed, when a
// bucket is overfull. The later in the order of hashes the first such key or bucket
// is, the more there is twice then: in the middle, with half of the records
// written, building takes half as much again as the index.
//
// # What is checked when
//
// [Open] and [Load] check the header, which has a SHA-256 checksum of its own;
// that all sections are there, and no byte more; and that buckets, sets and texts
// begin and end with their sections. That takes as long for any size.
//
// Every look-up checks each number before it follows it. A file that is damaged,
// or was made to do harm, can therefore cause no read outside of it, no panic,
// and no loop of more than 64 records; and no hit for a key that is not in a
// record. What no Builder writes, such as a set that does not exist, makes the
// look-up a hit of which [Index.AppendValues] returns an error, never a miss.
//
// A fingerprint that is damaged can still make a miss of a hit. [Index.Verify]
// finds that, and all else: it compares the CRC-32C checksums of all blocks of
// 1 MiB to the SHA-256 digest of them in the header, and then checks each
// bucket, filter and record for what is said above. Verify a file that comes from
// elsewhere, once. Neither checksum proves where a file comes from.
package index
