-- What editors/try.sh starts Neovim with: the configuration of ahp.lua and, below, a cheat sheet.
vim.cmd.source(vim.fs.joinpath(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)), 'ahp.lua'))
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.updatetime = 1000
vim.diagnostic.config({ virtual_text = true })

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.cmd('botright 9new')
    vim.api.nvim_buf_set_lines(0, 0, -1, false, {
      ' ]d  next thing said here            K    hover: the whole thread, or the text before the change',
      ' gra what can be done here (resolve, reply, accept, revert hunk, discard changes …); also in visual mode',
      ' grx run the code lens of this line  u    undo, also of a reverted hunk',
      ' A comment of your own: type a line   // ahp: please rename this   and choose gra on it.',
      ' :e README.md  the other file that the agent changed',
      ' :checkhealth vim.lsp   whether the server runs        :qa!  leave: the host ends, the repository is deleted',
    })
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.modified, vim.bo.modifiable = 'nofile', 'wipe', false, false
    vim.wo.number, vim.wo.signcolumn, vim.wo.winfixheight = false, 'no', true
    vim.api.nvim_win_set_height(0, 6)
    vim.cmd.wincmd('p')
  end,
})
