-- The answer of ahp.status, kept for the status line: asked for when the server says that it changed,
-- never by the clock.

local api = vim.api
local ask = require('ahp.client')
local M = {}

-- How long, in milliseconds, to collect news before the server is asked once.
local patience = 100

local known = {} -- client id → last answer
local queued = {} -- client id → true
local notifies = {} -- client id → true: this server says when its status changes

--- The last answer, nil before the first.
function M.get(client)
  return known[client.id]
end

function M.forget(client_id)
  known[client_id], queued[client_id], notifies[client_id] = nil, nil, nil
end

--- Asks soon; any number of calls until then are one.
function M.refresh(client)
  if queued[client.id] then
    return
  end
  queued[client.id] = true
  vim.defer_fn(function()
    queued[client.id] = nil
    if client:is_stopped() then
      return
    end
    ask.command(client, 'ahp.status', nil, function(reason, result)
      if not reason then
        known[client.id] = result
        vim.cmd.redrawstatus({ bang = true })
        api.nvim_exec_autocmds('User', { pattern = 'AhpStatus', modeline = false, data = { client_id = client.id } })
      end
    end)
  end, patience)
end

--- The server has said that its status changed.
function M.changed(client)
  notifies[client.id] = true
  M.refresh(client)
end

--- Something else changed: perhaps the status too, if the server does not say so by itself.
function M.guess(client)
  if not notifies[client.id] then
    M.refresh(client)
  end
end

local function count(n, what)
  return ('%d %s%s'):format(n, what, n == 1 and '' or 's')
end

--- How many hunks of the open files are kept, and how many there are: the server's status has none of
--- that.
local function hunks(client)
  local kept, all = 0, 0
  for buf in pairs(client.attached_buffers) do
    for _, hunk in ipairs(require('ahp.review').get(buf).hunks) do
      all = all + 1
      kept = kept + (hunk.kept and 1 or 0)
    end
  end
  return kept, all
end

--- A short text for a window's status line; '' where there is nothing to say.
function M.line(buf)
  local client = ask.any(buf)
  local status = client and known[client.id]
  if not status then
    return ''
  end
  if status.state ~= 'connected' then
    return 'ahp: ' .. status.state
  end
  local parts = {}
  if status.working then
    table.insert(parts, 'working')
  end
  if status.comments > 0 then
    table.insert(parts, count(status.comments, 'comment'))
  end
  local kept, all = hunks(client)
  if all > 0 then
    table.insert(parts, ('%d/%d hunks'):format(kept, all))
  end
  return #parts > 0 and 'ahp: ' .. table.concat(parts, ', ') or 'ahp'
end

local function describe(status)
  local lines = { 'State:     ' .. status.state .. (status.working and ', an agent is working' or '') }
  local function add(name, text)
    if text and text ~= '' then
      table.insert(lines, ('%-10s %s'):format(name .. ':', vim.split(text, '\n')[1]))
    end
  end
  add('Host', status.host)
  add('Server', status.server)
  add('Protocol', status.protocol)
  add('Error', status.error)
  add('Comments', ('%d open'):format(status.comments))
  if status.reviewed then
    add('Hunks', ('%d of %d kept, in open files'):format(status.reviewed.kept, status.reviewed.hunks))
  end
  vim.list_extend(lines, { '', #status.sessions > 0 and 'Sessions' or 'There is no session here.' })
  for _, session in ipairs(status.sessions) do
    local title = session.title ~= '' and session.title or session.uri
    table.insert(lines, ('  %s %s'):format(session.followed and '●' or '○', title))
    if not session.followed and session.reason then
      table.insert(lines, '      ' .. session.reason)
    end
  end
  if #status.changesets > 0 then
    vim.list_extend(lines, { '', 'Changes' })
    for _, set in ipairs(status.changesets) do
      table.insert(lines, ('  %s %s: %s%s'):format(set.shown and '●' or '○', set.label, count(set.files, 'file'), set.status ~= 'ready' and ', ' .. set.status or ''))
    end
  end
  local messages = require('ahp.message').all()
  if #messages > 0 then
    vim.list_extend(lines, { '', 'Messages' })
    for i = #messages, 1, -1 do
      for j, line in ipairs(vim.split(messages[i].text, '\n')) do
        table.insert(lines, ('  %s %s'):format(j == 1 and messages[i].time or (' '):rep(8), line))
      end
    end
  end
  return lines
end

--- :AhpStatus
function M.show()
  local client = ask.need(0, true)
  if not client then
    return
  end
  ask.command(client, 'ahp.status', nil, function(reason, status)
    if not reason then
      known[client.id] = status
      local float = require('ahp.float')
      float.show(describe(status), { title = ' Agent review ', middle = true, footer = float.footer({ { 'q', 'close' } }) })
    end
  end)
end

--- :AhpSession: the server asks which one.
function M.session()
  local client = ask.need(0, true)
  if client then
    ask.command(client, 'ahp.session.select')
  end
end

return M
