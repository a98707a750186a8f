-- What happens when the server comes to a buffer, and when it goes.

local M = {}

local ours = {} -- set of client ids: a client that has ended has no name

local function enabled()
  if vim.lsp.is_enabled then
    return vim.lsp.is_enabled('ahp')
  end
  return require('ahp.config').get().enable -- Neovim 0.11
end

--- Called for each file that was opened or read again, when its type has been looked for. vim.lsp.enable() goes by
--- the type; files of none are brought to the server here.
function M.opened(buf)
  local root = require('ahp.root')
  if not root.is_file(buf) or not enabled() or not root.runs() then
    return
  end
  local client, config = require('ahp.client').of(buf), vim.lsp.config.ahp
  if client then
    return require('ahp.lens').reloaded(client, buf)
  end
  if vim.bo[buf].filetype ~= '' or config.filetypes then
    return
  end
  config = vim.deepcopy(config)
  local function start(root)
    config.root_dir = root
    vim.lsp.start(config, { bufnr = buf, reuse_client = config.reuse_client })
  end
  if type(config.root_dir) == 'function' then
    config.root_dir(buf, start)
  else
    start(config.root_dir or vim.fs.root(buf, config.root_markers or '.git'))
  end
end

function M.attached(client, buf)
  ours[client.id] = true
  if require('ahp.config').get().codelens then
    require('ahp.lens').enable(client, buf)
  end
  require('ahp.review').refresh(buf)
  require('ahp.status').guess(client)
  if #require('ahp.changesets').get(client) == 0 then
    require('ahp.changesets').refresh(client)
  end
end

function M.detached(client_id, buf)
  if not ours[client_id] then
    return
  end
  require('ahp.lens').forget(client_id, buf)
  require('ahp.signs').clear(buf)
  require('ahp.review').forget(buf)
  require('ahp.reload').forget(buf)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or client:is_stopped() then
    for _, module in ipairs({ 'events', 'status', 'changesets', 'message' }) do
      require('ahp.' .. module).forget(client_id)
    end
    vim.schedule(function()
      vim.cmd.redrawstatus({ bang = true })
    end)
  end
end

return M
