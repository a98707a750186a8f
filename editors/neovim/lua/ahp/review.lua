-- What the server last said about each buffer: its comments and hunks. The autocommand `User
-- AhpUpdate` says when that changed, with the buffer in its data.

local api = vim.api
local ask = require('ahp.client')
local M = {}

-- How long, in milliseconds, to collect news before the server is asked once: this, or twice as long
-- as the last answer took, so that typing in a huge file is not held up.
local patience, longest = 40, 1000

local known = {} -- buffer → { threads, hunks, change, tick }
local state = {} -- buffer → 'queued', 'asked' or 'again'
local took = {} -- buffer → milliseconds of the last answer
local news = {} -- buffer → how often there were news

--- The comments and hunks of a buffer as the server last said; empty tables before.
function M.get(buf)
  if not buf or buf == 0 then
    buf = api.nvim_get_current_buf()
  end
  return known[buf] or { threads = {}, hunks = {} }
end

function M.forget(buf)
  known[buf], state[buf], took[buf], news[buf] = nil, nil, nil, nil
end

local function take(buf, tick, threads, answer)
  known[buf] = {
    tick = tick, -- of the text that the places are in; nil once there are news
    threads = threads or {},
    change = answer,
    hunks = answer and answer.hunks or {},
  }
  require('ahp.signs').draw(buf)
  vim.cmd.redrawstatus({ bang = true })
  api.nvim_exec_autocmds('User', { pattern = 'AhpUpdate', modeline = false, data = { buf = buf } })
end

--- Asks for both now. `done(reason)` is called when the answers are there. `tries` is internal.
function M.load(buf, done, tries)
  local client = ask.of(buf)
  if not client then
    return done('the server is not attached')
  end
  local params, left, why = { uri = ask.uri(buf) }, 2, nil
  local tick, heard = api.nvim_buf_get_changedtick(buf), news[buf]
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
      -- The text was edited meanwhile: the places may be wrong.
      if api.nvim_buf_get_changedtick(buf) ~= tick and (tries or 1) < 5 then
        return M.load(buf, done, (tries or 1) + 1)
      end
      take(buf, heard == news[buf] and tick or nil, threads, hunks)
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
  local began = vim.uv.now()
  M.load(buf, function()
    took[buf] = vim.uv.now() - began
    local again = state[buf] == 'again'
    state[buf] = nil
    if again then
      M.refresh(buf)
    end
  end)
end

--- Calls done(reason) once the places are those in the text as it is now: at once if they are.
function M.current(buf, done)
  local now = known[buf]
  if now and now.tick == api.nvim_buf_get_changedtick(buf) and now.change then
    return done()
  end
  M.load(buf, done)
end

--- Asks soon; any number of calls until then are one.
function M.refresh(buf)
  news[buf] = (news[buf] or 0) + 1
  if known[buf] then
    known[buf].tick = nil
  end
  if state[buf] == 'asked' then
    state[buf] = 'again'
  elseif not state[buf] then
    state[buf] = 'queued'
    vim.defer_fn(function()
      run(buf)
    end, math.min(math.max(patience, 2 * (took[buf] or 0)), longest))
  end
end

return M
