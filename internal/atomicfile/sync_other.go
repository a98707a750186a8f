//go:build !unix

package atomicfile

// SyncDir does nothing: a folder cannot be synced here, and NTFS journals its names.
func SyncDir(string) error { return nil }
