-- What editors/try.sh starts Neovim with: the plugin, some options, and a window with the keys.
vim.opt.runtimepath:prepend(vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2))))
require('ahp.demo').start({
  '   :e README.md   the other file that the agent changed',
  '   :qa!   leave: the host ends, the repository is deleted',
})
