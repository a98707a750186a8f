-- :AhpHunk: going to the agent's hunks, reverting and keeping them, and the text before.
--
-- What the user presses next must act on what they see after this key. So each of these waits until
-- it is done (ahp.client.await), and what takes too long gives up if the user has moved on.

local api = vim.api
local ask = require('ahp.client')
local signs = require('ahp.signs')
local M = {}

M.subcommands = { 'next', 'prev', 'revert', 'keep', 'before' }

--- Why there are no hunks.
local function none(buf)
  local client = ask.of(buf)
  local status = client and require('ahp.status').get(client)
  if not status or status.state ~= 'connected' then
    return 'not connected to an agent host yet; :AhpStatus says more'
  end
  return 'no agent has changed this file'
end

--- Calls use(hunks, change, done) with the hunks of the current buffer as they are in its text now;
--- use must call done, with true if it did something. Waits for that, and returns it.
local function with_hunks(use)
  local buf, win = api.nvim_get_current_buf(), api.nvim_get_current_win()
  if not ask.need(buf) then
    return
  end
  local cursor, tick, did = api.nvim_win_get_cursor(win), api.nvim_buf_get_changedtick(buf), false
  ask.await(function(finish, late)
    local function done(well)
      did = well and not late()
      finish()
    end
    require('ahp.review').current(buf, function(reason)
      if reason then
        ask.tell(reason, vim.log.levels.ERROR)
        return done()
      end
      if late() and (api.nvim_get_current_win() ~= win or api.nvim_get_current_buf() ~= buf
        or not vim.deep_equal(api.nvim_win_get_cursor(win), cursor) or api.nvim_buf_get_changedtick(buf) ~= tick) then
        return
      end
      local known = require('ahp.review').get(buf)
      if #known.hunks == 0 then
        ask.tell(none(buf))
        return done()
      end
      use(known.hunks, known.change, done)
    end)
  end)
  return did
end

--- The hunk on a line, counted from 1. Changed lines win over removed ones beside them, and those
--- removed above the line over those below it.
function M.at(buf, hunks, line)
  local above, below
  for _, hunk in ipairs(hunks) do
    local first, last = signs.lines(buf, hunk)
    if signs.kind(hunk) ~= 'Delete' then
      if first <= line and line <= last then
        return hunk
      end
    elseif first == line then
      above = above or hunk
    elseif first == line + 1 then
      below = below or hunk
    end
  end
  return above or below
end

--- The first lines of the hunks that are in the buffer, each once.
function M.starts(buf, hunks)
  local starts = {}
  for _, hunk in ipairs(hunks) do
    if hunk.state ~= 'undone' then
      local line = signs.lines(buf, hunk)
      if starts[#starts] ~= line then
        table.insert(starts, line)
      end
    end
  end
  return starts
end

--- Which of the starts is `step * count` away from a line, and whether that went around the end; nil
--- where there is none.
local function target(starts, line, step, count)
  local index = step > 0 and 0 or #starts + 1
  for i, start in ipairs(starts) do
    if step > 0 and start <= line then
      index = i
    elseif step < 0 and start >= line then
      index = i
      break
    end
  end
  local wanted = index + step * count
  if wanted >= 1 and wanted <= #starts then
    return wanted, false
  elseif vim.o.wrapscan then
    return (wanted - 1) % #starts + 1, true
  end
  local last = step > 0 and #starts or 1
  if step * (last - index) > 0 then
    return last, false
  end
end

--- Puts the cursor on a hunk's first line, in the jump list too.
function M.go(starts, index, more)
  vim.cmd.normal({ "m'", bang = true })
  api.nvim_win_set_cursor(0, { starts[index], 0 })
  vim.cmd.normal({ '^', bang = true })
  if vim.fn.foldclosed('.') ~= -1 then
    vim.cmd.normal({ 'zv', bang = true })
  end
  ask.hint(('hunk %d of %d%s'):format(index, #starts, more or ''))
end

local function jump(step, count)
  with_hunks(function(hunks, _, done)
    local buf = api.nvim_get_current_buf()
    local starts = M.starts(buf, hunks)
    local index, around = nil, true
    if #starts > 0 then
      index, around = target(starts, api.nvim_win_get_cursor(0)[1], step, count)
    end
    if (not index or around) and require('ahp.files').go(buf, step, done) then
      return -- in another file
    elseif index then
      M.go(starts, index)
    elseif #starts == 0 then
      ask.tell('every hunk of this file is reverted')
    else
      ask.tell(step > 0 and 'this is the last hunk' or 'this is the first hunk')
    end
    done()
  end)
end

--- Runs a command of the server's for each of these hunks, and waits until they are known again.
local function run(command, hunks, change, more, done)
  local buf, left, well = api.nvim_get_current_buf(), #hunks, true
  for _, hunk in ipairs(hunks) do
    local argument = vim.tbl_extend('force', { uri = ask.uri(buf), range = hunk.range, seen = change.seen }, more or {})
    ask.command(ask.of(buf), command, argument, function(reason)
      left, well = left - 1, well and not reason
      if left == 0 then
        require('ahp.review').load(buf, function()
          done(well)
        end)
      end
    end)
  end
end

--- Calls use(hunks, change, done) with the hunks that are meant: those that have one of `what.lines`,
--- or the one at the cursor and the next ones, `what.count` in all.
local function meant(what, use)
  return with_hunks(function(hunks, change, done)
    local buf, found = api.nvim_get_current_buf(), {}
    local here = not what.lines and M.at(buf, hunks, api.nvim_win_get_cursor(0)[1])
    for _, hunk in ipairs(hunks) do
      local first, last = signs.lines(buf, hunk)
      if what.lines and first <= what.lines[2] and last >= what.lines[1]
        or not what.lines and (hunk == here or #found > 0 and #found < (what.count or 1)) then
        table.insert(found, hunk)
      end
    end
    if #found > 0 then
      return use(found, change, done)
    end
    ask.tell('there is no hunk on ' .. (what.lines and 'these lines' or 'this line'))
    done()
  end)
end

--- Reverts parts of hunks in the buffer.
local function revert_parts(buf, hunks, lines)
  local part = require('ahp.part')
  local parts, why = part.of(buf, hunks, lines[1], lines[2])
  if #parts > 0 then
    part.revert(buf, parts)
    if why then
      ask.tell('not everything was reverted: ' .. why)
    end
  else
    ask.tell('cannot revert: ' .. (why or 'there is no hunk on these lines'), vim.log.levels.WARN)
  end
end

--- With the setting `advance`: goes to the next hunk, unless the cursor is on it already.
local function advance(did)
  if not did or not require('ahp.config').get().advance then
    return
  end
  local buf, line = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1]
  if not vim.list_contains(M.starts(buf, vim.tbl_filter(function(hunk)
    return not hunk.kept
  end, require('ahp.review').get(buf).hunks)), line) then
    jump(1, 1)
  end
end

--- Reverts hunks: { count = … } of them from the cursor on, or exactly the lines { lines = { first, last } }.
function M.revert(what)
  if what.lines then
    return with_hunks(function(hunks, _, done)
      revert_parts(api.nvim_get_current_buf(), hunks, what.lines)
      done()
    end)
  end
  advance(meant(what, function(hunks, change, done)
    if #hunks == 1 then
      return run('ahp.hunk.revert', hunks, change, nil, done)
    end
    -- Each edit of the server's would be for a text that the one before has changed.
    local buf = api.nvim_get_current_buf()
    revert_parts(buf, hunks, { 1, api.nvim_buf_line_count(buf) })
    done()
  end))
end

--- Keeps hunks, or, with `keep` false, keeps them no longer: { count = … } of them from the cursor on,
--- or those on { lines = { first, last } }.
function M.keep(keep, what)
  local did = meant(what, function(hunks, change, done)
    run('ahp.hunk.keep', hunks, change, { keep = keep }, done)
  end)
  advance(did and keep and not what.lines)
end

--- The lines of the hunk at the cursor; nil if there are none.
function M.extent()
  local first, last
  meant({}, function(hunks, _, done)
    if signs.kind(hunks[1]) == 'Delete' then
      ask.tell('removed lines cannot be selected')
    else
      first, last = signs.lines(api.nvim_get_current_buf(), hunks[1])
    end
    done()
  end)
  return first, last
end

--- Which hunk a window's cursor is on or behind, and how many there are, such as '3/12': of what the
--- server said last. '' without hunks.
function M.position(win)
  local buf, line = api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)[1]
  local starts, index = M.starts(buf, require('ahp.review').get(buf).hunks), 0
  for i, start in ipairs(starts) do
    index = start <= line and i or index
  end
  return #starts > 0 and ('%d/%d'):format(index, #starts) or ''
end

local function show_before(buf, hunk)
  if hunk.before == '' then
    return ask.tell('nothing was here before: these lines are new')
  end
  local float = require('ahp.float')
  float.show(vim.split(hunk.before:gsub('\r?\n$', ''), '\r?\n'), {
    filetype = vim.bo[buf].filetype,
    title = (' Before: %s '):format(hunk.title),
    footer = float.footer({ { 'q', 'close' } }),
  })
end

--- Shows the text before the hunk on a line, or at the cursor.
function M.before(line)
  with_hunks(function(hunks, _, done)
    local buf = api.nvim_get_current_buf()
    local hunk = M.at(buf, hunks, line or api.nvim_win_get_cursor(0)[1])
    if hunk then
      show_before(buf, hunk)
    else
      ask.tell('there is no hunk on this line')
    end
    done()
  end)
end

--- :[range]AhpHunk[!] next|prev|revert|keep|before
function M.command(options)
  local what = options.fargs[1]
  local where = options.range > 0 and { lines = { options.line1, options.line2 } } or {}
  -- a count comes as a range: :3AhpHunk next
  local count = options.range > 0 and math.max(1, options.count) or 1
  if what == 'next' then
    jump(1, count)
  elseif what == 'prev' then
    jump(-1, count)
  elseif what == 'revert' then
    M.revert(where)
  elseif what == 'keep' then
    M.keep(not options.bang, where)
  elseif what == 'before' then
    M.before()
  else
    ask.tell(('there is no :AhpHunk %s; there are %s'):format(what, table.concat(M.subcommands, ', ')), vim.log.levels.ERROR)
  end
end

function M.next(count)
  jump(1, count or 1)
end

function M.prev(count)
  jump(-1, count or 1)
end

return M
