// Package store remembers, from one run of the server to the next, what neither
// the host nor the work tree holds: which hunks the user kept, which text a
// comment is about, and what was written but not sent.
//
// A [Store] is a folder that all servers of a user share, whatever their editor.
// It holds one record for each kind and key; the key is the URI of a session:
//
//	kept/HASH.json      {"version":1,"scope":KEY,"saved":TIME,"files":{URI:[KEY OF A HUNK…]}}
//	anchors/HASH.json   {"version":1,"session":KEY,"anchors":{ANNOTATION:ANCHOR}}
//	unsent/HASH.json    {"version":1,"session":KEY,"actions":[ACTION…]}
//	texts/SHA256        the text that has this SHA-256; anchors name it
//	KIND/.lock          held while a record of the kind is read or changed
//
// HASH is the first 24 hexadecimal digits of the key's SHA-256. Files have mode
// 0600 and folders 0700, since they hold source code and what the user wrote.
//
// # Sharing
//
// Methods that write take a difference, and apply it to what the record holds
// then: under the kind's lock the record is read, changed and replaced as a
// whole. So servers do not lose each other's records, and a crash leaves the
// record of before or the new one. The system releases the lock of a process
// that ends, however it ends; the lock's file stays. A record in which nothing
// is left is removed.
//
// A Store may be used by any number of goroutines, and the folder by any number
// of Stores and processes. Methods block on the disk and on the lock, the latter
// for at most five seconds ([ErrBusy]) or until the context ends: call them
// outside the editor's loop. The package starts no goroutine.
//
// # Damage
//
// A record that is not JSON of its kind, has another key inside, is longer than
// 16 MiB or is not a regular file is set aside: it is renamed to
// NAME.damaged-N, and the last 16 of a kind stay. A new record begins: what is
// read is empty, and what is written goes into it. The error beside it is a
// [Damaged], once, since the next call finds the new record or none. [Damage]
// tells it from a failure.
//
// A record of a later format is left as it is: it reads as empty, cannot be
// written, and the error is a [NewerVersion]. A file that the system cannot
// read stays where it is, and the error is the system's.
//
// A text that is missing, or is not the one its name says, takes the anchors
// that name it with it. That is no error, since the oldest texts are removed
// when all are more than 64 MiB: a comment without an anchor is anchored again.
package store
