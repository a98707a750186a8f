-- The server's commands that code lenses and code actions run and that this plugin has windows for. A
-- command that already has its text goes to the server as it is.

local ask = require('ahp.client')
local M = {}

local function of(command, ctx)
  return vim.lsp.get_client_by_id(ctx.client_id), command.arguments and command.arguments[1] or {}
end

local function forward(client, command)
  if client then
    ask.command(client, command.command, command.arguments and command.arguments[1])
  end
end

--- Calls use(client, thread) with the thread that a command is about.
local function with_thread(command, ctx, use)
  local client, argument = of(command, ctx)
  if argument.text then
    return forward(client, command)
  end
  local buf = ctx.bufnr
  require('ahp.review').load(buf, function(reason)
    for _, thread in ipairs(not reason and require('ahp.review').get(buf).threads or {}) do
      if thread.session == argument.session and thread.annotation == argument.annotation then
        return use(client, thread)
      end
    end
    forward(client, command) -- not in this buffer
  end)
end

function M.show_thread(command, ctx)
  with_thread(command, ctx, function(_, thread)
    require('ahp.thread').open(ctx.bufnr, { thread })
  end)
end

function M.reply(command, ctx)
  with_thread(command, ctx, require('ahp.thread').reply)
end

function M.edit(command, ctx)
  local _, argument = of(command, ctx)
  with_thread(command, ctx, function(client, thread)
    for _, entry in ipairs(thread.entries) do
      if entry.id == argument.entry then
        return require('ahp.thread').edit(client, thread, entry)
      end
    end
  end)
end

function M.create(command, ctx)
  local client, argument = of(command, ctx)
  local buf = client and ask.buffer(client, argument.uri)
  if argument.text or not buf then
    return forward(client, command)
  end
  require('ahp.comment').create(buf, argument.range)
end

function M.show_before(command, ctx)
  local client, argument = of(command, ctx)
  local buf = client and ask.buffer(client, argument.uri)
  if not buf then
    return forward(client, command)
  end
  if argument.range then
    return require('ahp.hunk').before(buf, argument.range.start.line + 1)
  end
  require('ahp.diff').file(buf)
end

return M
