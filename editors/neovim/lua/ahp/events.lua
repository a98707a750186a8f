-- The server's notifications.

local ask = require('ahp.client')
local M = {}

local mentioned = {} -- client id → set of URIs of files with comments, open or not

--- The files that the server has mentioned.
function M.mentioned(client)
  return vim.tbl_keys(mentioned[client.id] or {})
end

function M.forget(client_id)
  mentioned[client_id] = nil
end

local function client_of(ctx)
  return vim.lsp.get_client_by_id(ctx.client_id)
end

function M.threads_changed(_, params, ctx)
  local client = client_of(ctx)
  if not client then
    return
  end
  mentioned[client.id] = mentioned[client.id] or {}
  mentioned[client.id][params.uri] = true
  local buf = ask.buffer(client, params.uri)
  if buf then
    require('ahp.review').refresh(buf)
    require('ahp.lens').refresh(client, buf)
    require('ahp.reload').check({ buf })
  end
  require('ahp.status').guess(client)
end

function M.changesets_changed(_, _, ctx)
  local client = client_of(ctx)
  if not client then
    return
  end
  require('ahp.changesets').refresh(client)
  require('ahp.reload').check(vim.tbl_keys(client.attached_buffers))
  require('ahp.status').guess(client)
end

function M.status_changed(_, _, ctx)
  local client = client_of(ctx)
  if client then
    require('ahp.status').changed(client)
  end
end

return M
