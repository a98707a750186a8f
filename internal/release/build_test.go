package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tool is what only these tests need, by its path among what the end-to-end tests have fetched;
// editors/test.sh fetches it where AHP_RELEASE is set.
func tool(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("AHP_E2E_DIR")
	if dir == "" {
		dir = ".e2e"
	}
	if !filepath.IsAbs(dir) { // it is relative to the repository
		dir = here.path(dir)
	}
	path, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(name)))
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("AHP_RELEASE") != "" {
			t.Fatalf("%s is not here: run editors/e2e/get-packaging.sh", path)
		}
		t.Skipf("%s is not here: set AHP_RELEASE and run editors/test.sh", path)
	}
	return path
}

// everything is whether to test all platforms, which takes minutes.
var everything = os.Getenv("AHP_RELEASE") == "all"

// committed is a copy of the repository with a home and a commit of its own.
func committed(t *testing.T) root {
	t.Helper()
	dir := copied(t)
	now, err := dir.home()
	require.NoError(t, err)
	_, err = dir.setHome(now, elsewhere)
	require.NoError(t, err)
	env := []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_AUTHOR_NAME=Test", "GIT_COMMITTER_NAME=Test",
		"GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_EMAIL=t@example.invalid",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}
	run(t, dir, env, "git", "init", "-q", "-b", "main")
	run(t, dir, env, "git", "add", "-A")
	run(t, dir, env, "git", "commit", "-qm", "All of it")
	return dir
}

// products are the files that a build leaves for others, by their names.
func products(t *testing.T, dir root) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir.path("dist"))
	require.NoError(t, err)
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "ahp-lsp_") && e.Type().IsRegular() {
			files[name], err = os.ReadFile(dir.path("dist", name))
			require.NoError(t, err)
		}
	}
	return files
}

// Two builds, in different folders, are the same byte by byte, and hold what they should.
func TestBuild(t *testing.T) {
	command := buildCommand{Goreleaser: tool(t, "packaging/bin/goreleaser")}
	wanted := []string{"linux_amd64"}
	if everything {
		wanted = nil
		for _, p := range platforms {
			wanted = append(wanted, p.String())
		}
	}
	command.Platform = wanted
	dir, other := committed(t), root(t.TempDir())
	run(t, other, nil, "git", "clone", "-q", "--no-local", string(dir), ".")
	require.NoError(t, dir.build(t.Context(), elsewhere, command))
	files := products(t, dir)
	sums := map[string]string{}
	for name, data := range files {
		sum := sha256.Sum256(data)
		sums[name] = hex.EncodeToString(sum[:])
	}
	again := map[string]string{}
	require.NoError(t, other.build(t.Context(), elsewhere, command))
	for name, data := range products(t, other) {
		sum := sha256.Sum256(data)
		again[name] = hex.EncodeToString(sum[:])
	}
	require.Equal(t, sums, again)

	var listed string
	archives, packages := 0, 0
	for name, data := range files {
		switch {
		case strings.HasSuffix(name, "_checksums.txt"):
			listed = string(data)
		case strings.HasSuffix(name, ".deb"), strings.HasSuffix(name, ".rpm"):
			packages++
		case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".zip"):
			archives++
			checkArchive(t, name, data)
			checkComponents(t, dir, files[name+".cdx.json"])
		}
	}
	for name, sum := range sums {
		if !strings.HasSuffix(name, "_checksums.txt") {
			require.Contains(t, listed, sum+"  "+name+"\n")
		}
	}
	require.Equal(t, len(wanted), archives)
	require.NotZero(t, packages)
	t.Run("deb", func(t *testing.T) { checkDeb(t, dir) })
	t.Run("rpm", func(t *testing.T) { checkRPM(t, dir) })
	t.Run("a machine with an archive", func(t *testing.T) { checkMachineWithArchive(t, dir) })
	t.Run("a machine with the package", func(t *testing.T) { checkMachineWithPackage(t, dir) })
}

// checkArchive unpacks an archive and runs the program where that can be done: here, or under QEMU.
func checkArchive(t *testing.T, name string, data []byte) {
	t.Helper()
	files, err := unpack(name, data)
	require.NoError(t, err)
	folder := strings.TrimSuffix(strings.TrimSuffix(name, ".tar.gz"), ".zip")
	_, platform, _ := strings.Cut(strings.TrimPrefix(folder, "ahp-lsp_"), "_")
	program := "ahp-lsp"
	if strings.HasPrefix(platform, "windows") {
		program += ".exe"
	}
	for _, inside := range []string{program, "LICENSE", "README.md", "THIRD-PARTY.md", "completions/ahp-lsp.bash", "completions/ahp-lsp.fish", "completions/_ahp-lsp", "man/ahp-lsp.1"} {
		require.NotEmpty(t, files[folder+"/"+inside], "%s in %s", inside, name)
	}
	file := filepath.Join(t.TempDir(), program)
	require.NoError(t, os.WriteFile(file, files[folder+"/"+program], 0o755))
	emulators := map[string]string{"linux_arm64": "qemu-aarch64", "linux_armv7": "qemu-arm", "linux_riscv64": "qemu-riscv64"}
	command := []string{file, "version"}
	if emulator := emulators[platform]; emulator != "" {
		command = append([]string{tool(t, "packaging/bin/"+emulator)}, command...)
	} else if platform != runtime.GOOS+"_"+runtime.GOARCH {
		t.Logf("%s is not run: there is nothing here to run it", name)
		return
	}
	said := run(t, here, nil, command[0], command[1:]...)
	version, _, _ := strings.Cut(strings.TrimPrefix(folder, "ahp-lsp_"), "_")
	require.Contains(t, said, "ahp-lsp "+version+"\n")
	t.Logf("%s runs", name)
}

// checkComponents wants every module that is linked in the list of components.
func checkComponents(t *testing.T, dir root, text []byte) {
	t.Helper()
	var b bom
	require.NoError(t, json.Unmarshal(text, &b))
	require.Equal(t, "CycloneDX", b.Format)
	names := map[string]bool{}
	for _, c := range b.Components {
		names[c.Name] = true
		require.NotEmpty(t, c.Licences, c.Name)
		require.NotEmpty(t, c.Version, c.Name)
	}
	notices, err := os.ReadFile(dir.path(noticesFile))
	require.NoError(t, err)
	for name := range names {
		require.True(t, name == "std" || bytes.Contains(notices, []byte("\n## "+name+" ")), name)
	}
	require.True(t, names["github.com/tliron/glsp"] && names["znkr.io/diff"])
}

// checkDeb installs the package into a root of its own, runs it, and removes it.
func checkDeb(t *testing.T, dir root) {
	dpkg, err := exec.LookPath("dpkg")
	if err != nil || os.Getuid() != 0 {
		t.Skip("this needs dpkg, and root")
	}
	found, err := filepath.Glob(dir.path("dist", "*_linux_amd64.deb"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	machine := root(t.TempDir())
	for _, name := range []string{"info", "updates", "triggers"} {
		require.NoError(t, os.MkdirAll(machine.path("var/lib/dpkg", name), 0o755))
	}
	// git is what the package depends on.
	require.NoError(t, os.WriteFile(machine.path("var/lib/dpkg/status"), []byte("Package: git\nStatus: install ok installed\nMaintainer: x\nArchitecture: amd64\nVersion: 1:2.47\nDescription: x\n\n"), 0o644))
	private := []string{"--root=" + string(machine), "--log=" + machine.path("log"), "--force-script-chrootless"}
	run(t, here, nil, dpkg, append(private, "--install", found[0])...)
	program := machine.path("usr/bin/ahp-lsp")
	require.Contains(t, run(t, here, nil, program, "version"), "ahp-lsp 0.0.1-dev.")
	for _, name := range []string{"usr/share/man/man1/ahp-lsp.1.gz", "usr/share/bash-completion/completions/ahp-lsp", "usr/share/doc/ahp-lsp/copyright"} {
		require.FileExists(t, machine.path(name))
	}
	said := run(t, here, nil, dpkg, append(private, "--status", "ahp-lsp")...)
	require.Contains(t, said, "\nMaintainer: Ada Lovelace <ada@example.com>\n")
	require.Contains(t, said, "\nHomepage: https://example.com/tools/ahp-lsp\n")
	run(t, here, nil, dpkg, append(private, "--purge", "ahp-lsp")...)
	require.NoFileExists(t, program)
	require.NoDirExists(t, machine.path("usr/share/doc/ahp-lsp"))
}

// checkRPM reads the package as rpm does.
func checkRPM(t *testing.T, dir root) {
	rpm := tool(t, "packaging/bin/rpm")
	found, err := filepath.Glob(dir.path("dist", "*_linux_amd64.rpm"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	said := run(t, here, nil, rpm, "-qpil", "--requires", "--nosignature", found[0])
	require.Regexp(t, `License +: MIT\n`, said)
	for _, want := range []string{"/usr/bin/ahp-lsp\n", "/usr/share/man/man1/ahp-lsp.1.gz\n", "/usr/share/licenses/ahp-lsp/LICENSE\n", "\ngit-core\n"} {
		require.Contains(t, said, want)
	}
}

// packaging/THIRD-PARTY.md is about what is linked now.
func TestNotices(t *testing.T) {
	text, err := here.notices(t.Context())
	require.NoError(t, err)
	there, err := os.ReadFile(here.path(noticesFile))
	require.NoError(t, err)
	if string(there) != text {
		t.Errorf("%s is out of date: run go run ./internal/release modules", noticesFile)
	}
}

// The hash for Nix is that of the modules that are needed now.
func TestVendorHash(t *testing.T) {
	hash, err := here.vendorHash(t.Context())
	require.NoError(t, err)
	flake, err := os.ReadFile(here.path(flakeFile))
	require.NoError(t, err)
	if !strings.Contains(string(flake), fmt.Sprintf("vendorHash = %q;", hash)) {
		t.Errorf("%s is out of date: run go run ./internal/release modules", flakeFile)
	}
}

// Nix 2 prints this for a folder with these files.
func TestNARHash(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "b"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b", "x"), []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("12345678"), 0o644))
	hash, err := narHash(dir)
	require.NoError(t, err)
	require.Equal(t, "sha256-l7Ev1CLcv1/coTYSvDmGYznRouYzarBWjURhiVja8U0=", hash)
}

func TestIdentify(t *testing.T) {
	licence, err := os.ReadFile(here.path("LICENSE"))
	require.NoError(t, err)
	require.Equal(t, "MIT", identify(string(licence)))
	require.Empty(t, identify("All rights reserved."))
	_, err = module{Path: "example.com/x", Dir: t.TempDir()}.licences()
	require.ErrorContains(t, err, "example.com/x  has no licence that is known here")
}

func TestOnly(t *testing.T) {
	config, err := os.ReadFile(here.path(".goreleaser.yaml"))
	require.NoError(t, err)
	require.Equal(t, string(config), string(only(config, platforms)), "goreleaser's targets are the platforms")
	chosen, err := selected([]string{"linux/armv7"})
	require.NoError(t, err)
	require.Equal(t, 1, len(targetLine.FindAll(only(config, chosen), -1)))
	_, err = selected([]string{"plan9_amd64"})
	require.ErrorContains(t, err, "plan9_amd64 is none of the platforms")
}
