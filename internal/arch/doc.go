// Package arch has no code: its tests hold the tree to ARCHITECTURE.md. They read
// the import graph and the sources and compare them with the tables in
// rooms_test.go (who may import whom) and limits_test.go (how large things may
// become). A change of the architecture is a change of those tables.
//
//	go test ./internal/arch -v        # also prints the sizes
package arch
