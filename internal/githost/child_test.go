package githost

// child is what this test binary does as a child process.
func child(role string) int { return 2 }
