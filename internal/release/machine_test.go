package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine is a root folder with nothing but Debian's git and Neovim, for chroot.
func machine(t *testing.T) root {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("this needs root")
	}
	packed := tool(t, "packaging/machine.tar")
	dir := root(t.TempDir())
	run(t, here, nil, "tar", "-C", string(dir), "-xf", packed)
	run(t, here, nil, "mknod", "-m", "666", dir.path("dev/null"), "c", "1", "3")
	if out, err := dir.command("/usr/bin/true").CombinedOutput(); err != nil {
		t.Skipf("chroot does not work here: %v %s", err, out)
	}
	return dir
}

// command runs a program with the folder as its root. What it mounts and starts ends with it.
func (m root) command(args ...string) *exec.Cmd {
	enter := []string{"--mount", "--pid", "--fork", "sh", "-c", `mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"`, string(m)}
	return exec.Command("unshare", append(enter, args...)...)
}

// story sets Neovim up with the program at this path, has an agent change a file, and says what
// Neovim shows of it.
const story = `set -e
git config --global user.name Test
git config --global user.email test@example.invalid
git config --global init.defaultBranch main
mkdir /root/repo
cd /root/repo
git init -q
printf 'package main\n\nfunc main() {\n}\n' > main.go
git add -A
git commit -qm one
printf 'package main\n\nfunc main() {\n\tprintln(1)\n}\n' > main.go
PROGRAM setup nvim --yes
PROGRAM setup
cat > /root/look.lua <<'LUA'
local line
vim.wait(25000, function()
  line = require('ahp').statusline()
  return line:find('hunk') ~= nil
end, 20)
io.stdout:write('shows ', line, '\n')
vim.cmd('qall!')
LUA
nvim --headless main.go -c 'luafile /root/look.lua'
`

func (m root) tell(t *testing.T, program string) {
	t.Helper()
	out, err := m.command("bash", "-c", strings.ReplaceAll(story, "PROGRAM", program)).CombinedOutput()
	said := string(out)
	require.NoError(t, err, said)
	require.Contains(t, said, "shows ahp: 0/1 hunks\n", said)
	require.Regexp(t, `(?m)^nvim +Neovim .* set up$`, said)
}

// On a machine with nothing but an unpacked archive, "ahp-lsp setup nvim" is all that is needed.
func checkMachineWithArchive(t *testing.T, dir root) {
	m := machine(t)
	found, err := filepath.Glob(dir.path("dist", "*_linux_amd64.tar.gz"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.NoError(t, os.MkdirAll(m.path("opt"), 0o755))
	run(t, here, nil, "tar", "-C", m.path("opt"), "-xzf", found[0])
	m.tell(t, "/opt/"+strings.TrimSuffix(filepath.Base(found[0]), ".tar.gz")+"/ahp-lsp")
}

// The same with the package, which puts the program on the PATH.
func checkMachineWithPackage(t *testing.T, dir root) {
	m := machine(t)
	found, err := filepath.Glob(dir.path("dist", "*_linux_amd64.deb"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	run(t, here, nil, "dpkg", "--root="+string(m), "--log="+m.path("log"), "--force-depends", "--install", found[0])
	m.tell(t, "ahp-lsp")
	require.NoFileExists(t, m.path("root/.local/share/nvim/site/pack/ahp/start/ahp/after/lsp/ahp.lua"))
}
