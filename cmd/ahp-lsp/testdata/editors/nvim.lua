vim.lsp.config('ahp', { cmd = {--[[SERVER]]}, root_markers = { '.git' } })
vim.lsp.enable('ahp')
vim.diagnostic.config({ virtual_text = true })
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.updatetime = 1000
vim.o.swapfile = false

local group = vim.api.nvim_create_augroup('ahp', {})
vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    if vim.lsp.codelens.enable then
      vim.lsp.codelens.enable(true, { bufnr = event.buf })
      return
    end
    local refresh = function() -- Neovim 0.11
      vim.lsp.codelens.refresh({ bufnr = event.buf })
    end
    refresh()
    vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave' }, { group = group, buffer = event.buf, callback = refresh })
  end,
})

vim.api.nvim_create_autocmd({ 'FocusGained', 'BufEnter', 'CursorHold' }, {
  group = group,
  callback = function()
    if vim.fn.getcmdwintype() == '' then
      vim.cmd.checktime()
    end
  end,
})

vim.api.nvim_create_autocmd('VimEnter', {
  group = group,
  callback = function()
    vim.cmd('botright 9new')
    vim.api.nvim_buf_set_lines(0, 0, -1, false, {
      ' An agent has changed three files and commented on them:  :e label.go  :e README.md',
      ' ]d  next thing said here            K    hover: the whole thread, or the text before the change',
      ' gra what can be done here (resolve, reply, accept, revert hunk, stage …); also in visual mode',
      ' grx run the code lens of this line  u    undo, also of a reverted hunk',
      ' A comment of your own: type a line   // ahp: please rename this   and choose gra on it.',
      ' :checkhealth vim.lsp   whether the server runs        :qa!  leave; the repository is deleted',
    })
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.modified, vim.bo.modifiable = 'nofile', 'wipe', false, false
    vim.wo.number, vim.wo.signcolumn, vim.wo.winfixheight = false, 'no', true
    vim.api.nvim_win_set_height(0, 6)
    vim.cmd.wincmd('p')
  end,
})
