-- ahp-lsp for Neovim 0.11 and newer, without any plugin.
-- Put this file into your configuration's `plugin` folder (~/.config/nvim/plugin/ahp.lua), or
-- `:source` it. `ahp-lsp` must be on the PATH; it finds a running agent host by itself. To name
-- one, set AHP_HOST and AHP_TOKEN, or add '--host', URL, '--token-file', FILE to `cmd`.

vim.lsp.config('ahp', {
  cmd = { 'ahp-lsp', '--stdio' },
  -- no `filetypes`: agents change and comment on every kind of file
  root_markers = { '.git' },
})
vim.lsp.enable('ahp')

-- Code lenses show a thread's summary above its line; Neovim leaves them off by default.
vim.api.nvim_create_autocmd('LspAttach', {
  group = vim.api.nvim_create_augroup('ahp', {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= 'ahp' then
      return
    end
    if vim.lsp.codelens.enable then
      vim.lsp.codelens.enable(true, { bufnr = event.buf })
    else -- Neovim 0.11
      vim.lsp.codelens.refresh({ bufnr = event.buf })
      vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave' }, {
        buffer = event.buf,
        callback = function()
          vim.lsp.codelens.refresh({ bufnr = event.buf })
        end,
      })
    end
  end,
})

-- The agent writes files while you read them: look at the disk again when you come back or pause.
vim.api.nvim_create_autocmd({ 'FocusGained', 'BufEnter', 'CursorHold' }, {
  group = 'ahp',
  callback = function()
    if vim.fn.getcmdwintype() == '' then
      vim.cmd.checktime()
    end
  end,
})
