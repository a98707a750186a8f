-- What the server knows about each buffer: its comments and hunks, as last told. Others are told of
-- news by the autocommand `User AhpUpdate`, with the buffer in its data.

local api = vim.api
local ask = require('ahp.client')
local M = {}

-- How long, in milliseconds, several news are waited for before the server is asked once.
local patience = 40

local known = {} -- buffer → { threads, hunks }
local state = {} -- buffer → 'queued', 'asked' or 'again'

--- The comments and hunks of a buffer as last told; empty tables before.
function M.get(buf)
  if not buf or buf == 0 then
    buf = api.nvim_get_current_buf()
  end
  return known[buf] or { threads = {}, hunks = {} }
end

function M.forget(buf)
  known[buf], state[buf] = nil, nil
end

local function take(buf, threads, answer)
  known[buf] = {
    threads = threads or {},
    change = answer,
    hunks = answer and answer.hunks or {},
  }
  require('ahp.signs').draw(buf)
  vim.cmd.redrawstatus({ bang = true })
  api.nvim_exec_autocmds('User', { pattern = 'AhpUpdate', modeline = false, data = { buf = buf } })
end

--- Asks for both now. `done(reason)` is called when the answers have been taken. `tries` is ours.
function M.load(buf, done, tries)
  local client = ask.of(buf)
  if not client then
    return done('the server is not attached')
  end
  local params, left, why = { uri = ask.uri(buf) }, 2, nil
  local tick = api.nvim_buf_get_changedtick(buf)
  local threads, hunks
  local function one(reason)
    left, why = left - 1, why or reason
    if left > 0 then
      return
    end
    if not api.nvim_buf_is_loaded(buf) then
      return done('the buffer is gone')
    end
    if not why then
      -- The places in a text that was edited meanwhile may be others.
      if api.nvim_buf_get_changedtick(buf) ~= tick and (tries or 1) < 5 then
        return M.load(buf, done, (tries or 1) + 1)
      end
      take(buf, threads, hunks)
    end
    done(why)
  end
  ask.request(client, 'ahp/threads', params, function(reason, result)
    threads = result
    one(reason)
  end, buf)
  ask.request(client, 'ahp/hunks', params, function(reason, result)
    hunks = result
    one(reason)
  end, buf)
end

local function run(buf)
  if not api.nvim_buf_is_loaded(buf) or not ask.of(buf) then
    state[buf] = nil
    return
  end
  state[buf] = 'asked'
  M.load(buf, function()
    local again = state[buf] == 'again'
    state[buf] = nil
    if again then
      M.refresh(buf)
    end
  end)
end

--- Asks soon; any number of calls until then are one.
function M.refresh(buf)
  if state[buf] == 'asked' then
    state[buf] = 'again'
  elseif not state[buf] then
    state[buf] = 'queued'
    vim.defer_fn(function()
      run(buf)
    end, patience)
  end
end

return M
