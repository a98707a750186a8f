vim.opt.runtimepath:prepend({--[[PLUGIN]]})
vim.lsp.config('ahp', { cmd = {--[[SERVER]]} })
require('ahp.demo').start({
  '   :e label.go   :e README.md   the other files that the agent changed',
  '   :help ahp   all commands      :qa!   leave; the repository is deleted',
})
vim.cmd('silent! helptags ' .. vim.fn.fnameescape(({--[[PLUGIN]]})[1] .. '/doc'))
