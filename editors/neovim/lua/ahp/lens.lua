-- Code lenses of this server alone: whether other servers' are shown is the user's business.

local api = vim.api
local M = {}

local function request(client, buf)
  client:request('textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(buf) } }, function(...)
    vim.lsp.codelens.on_codelens(...)
  end, buf)
end

local ordered = {} -- set of client ids

--- Keeps the server's order of the lenses on a line. Neovim 0.12 sorts them by their column, in a way
--- that shuffles equal ones, and they all begin in the first: so each but the first gets its own.
local function keep_order(client)
  if ordered[client.id] then
    return
  end
  ordered[client.id] = true
  local original = client.request
  client.request = function(self, method, params, handler, buf)
    if method ~= 'textDocument/codeLens' or not handler then
      return original(self, method, params, handler, buf)
    end
    return original(self, method, params, function(err, lenses, ctx)
      local count = {} -- by line
      for _, lens in ipairs(type(lenses) == 'table' and lenses or {}) do
        local start = lens.range.start
        start.character = start.character + (count[start.line] or 0)
        count[start.line] = (count[start.line] or 0) + 1
      end
      return handler(err, lenses, ctx)
    end, buf)
  end
end

--- Shows the lenses of a buffer that the client has just been attached to.
function M.enable(client, buf)
  if vim.lsp.codelens.enable then
    keep_order(client)
    -- The client counts the buffer as attached only after LspAttach.
    vim.schedule(function()
      if api.nvim_buf_is_loaded(buf) and not client:is_stopped() then
        vim.lsp.codelens.enable(true, { bufnr = buf, client_id = client.id })
      end
    end)
    return
  end
  -- Neovim 0.11 asks for lenses when a plugin makes it.
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

--- Called when the server leaves a buffer. Neovim 0.12 does this itself only where code lenses are on
--- for every server of the buffer; else the lenses would stay, and drawing them or asking for them
--- again would fail without their server, with an error at each keystroke.
function M.forget(client_id, buf)
  local loaded, capability = pcall(require, 'vim.lsp._capability')
  local kind = loaded and vim.tbl_get(capability, 'all', 'codelens')
  local provider = kind and kind.active[buf]
  if provider and provider.client_state[client_id] then
    provider:on_detach(client_id)
    if not next(provider.client_state) then
      provider:destroy()
    end
  end
end

--- Called when a buffer was read again. Neovim 0.12 asks for the lenses again but draws them only for
--- another version of the text, and reading a file again does not count as one. So this does what a
--- refresh from the server does.
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

--- Called when a file's comments or hunks changed. In Neovim 0.12 the server asks for a refresh itself.
function M.refresh(client, buf)
  if not vim.lsp.codelens.enable and require('ahp.config').get().codelens then
    request(client, buf)
  end
end

return M
