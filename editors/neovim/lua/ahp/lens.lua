-- Code lenses of this server alone: whether other servers' are shown is the user's business.

local api = vim.api
local M = {}

local function request(client, buf)
  client:request('textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(buf) } }, function(...)
    vim.lsp.codelens.on_codelens(...)
  end, buf)
end

--- Shows the lenses of a buffer that the client has just been attached to.
function M.enable(client, buf)
  if vim.lsp.codelens.enable then
    -- The client counts the buffer as attached only after LspAttach.
    vim.schedule(function()
      if api.nvim_buf_is_loaded(buf) and not client:is_stopped() then
        vim.lsp.codelens.enable(true, { bufnr = buf, client_id = client.id })
      end
    end)
    return
  end
  -- Neovim 0.11 asks when it is told to.
  request(client, buf)
  api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave' }, {
    group = api.nvim_create_augroup('ahp.lens.' .. buf, {}),
    buffer = buf,
    callback = function()
      local attached = require('ahp.client').of(buf)
      if not attached then
        return true
      end
      request(attached, buf)
    end,
  })
end

--- Called when a buffer was read again. Neovim 0.12 asks for the lenses anew but draws them only for
--- another version of the text, and reading a file again does not count as one: what the server says
--- to have lenses drawn is said here.
function M.reloaded(client, buf)
  if not require('ahp.config').get().codelens then
    return
  end
  local handler = vim.lsp.handlers['workspace/codeLens/refresh']
  if vim.lsp.codelens.enable and handler then
    handler(nil, nil, { client_id = client.id, method = 'workspace/codeLens/refresh' })
  else
    M.refresh(client, buf)
  end
end

--- Called when a file's comments or hunks are others. Neovim 0.12 is told by the server itself.
function M.refresh(client, buf)
  if not vim.lsp.codelens.enable and require('ahp.config').get().codelens then
    request(client, buf)
  end
end

return M
