-- :AhpHunk: going to the agent's hunks, taking them back, keeping them, and what was there before.

local api = vim.api
local ask = require('ahp.client')
local signs = require('ahp.signs')
local M = {}

M.subcommands = { 'next', 'prev', 'revert', 'keep', 'before' }

--- Asks for the hunks of a buffer, and calls use(hunks, change) if there are some.
local function with_hunks(buf, use)
  if not ask.need(buf) then
    return
  end
  local review = require('ahp.review')
  review.load(buf, function(reason)
    if reason then
      return ask.tell(reason, vim.log.levels.ERROR)
    end
    local known = review.get(buf)
    if #known.hunks == 0 then
      return ask.tell('no agent has changed this file')
    end
    use(known.hunks, known.change)
  end)
end

--- The hunk on a line, counted from 1. Where lines were removed next to a changed line, the changed
--- one is meant.
local function at(buf, hunks, line)
  local removed
  for _, hunk in ipairs(hunks) do
    local first, last = signs.lines(buf, hunk)
    if first <= line and line <= last then
      if signs.kind(hunk) ~= 'Delete' then
        return hunk
      end
      removed = removed or hunk
    end
  end
  return removed
end

local function jump(buf, step, count)
  with_hunks(buf, function(hunks)
    if api.nvim_get_current_buf() ~= buf then
      return -- the user is somewhere else by now
    end
    local starts = {}
    for _, hunk in ipairs(hunks) do
      if hunk.state ~= 'undone' then
        local line = signs.lines(buf, hunk)
        if starts[#starts] ~= line then
          table.insert(starts, line)
        end
      end
    end
    if #starts == 0 then
      return ask.tell('every hunk of this file is taken back')
    end
    local line = api.nvim_win_get_cursor(0)[1]
    local index = step > 0 and 0 or #starts + 1
    for i, start in ipairs(starts) do
      if step > 0 and start <= line then
        index = i
      elseif step < 0 and start >= line then
        index = i
        break
      end
    end
    local target = index + step * count
    if target < 1 or target > #starts then
      if not vim.o.wrapscan then
        return ask.tell(step > 0 and 'this is the last hunk' or 'this is the first hunk')
      end
      target = (target - 1) % #starts + 1
    end
    vim.cmd.normal({ "m'", bang = true })
    api.nvim_win_set_cursor(0, { starts[target], 0 })
    vim.cmd.normal({ '^', bang = true })
    if vim.fn.foldclosed('.') ~= -1 then
      vim.cmd.normal({ 'zv', bang = true })
    end
  end)
end

--- Calls use(client, buf, where) with what a command is about: the lines it was given, or the hunk at
--- the cursor.
local function target(options, use)
  local buf = api.nvim_get_current_buf()
  local client = ask.need(buf)
  if not client then
    return
  end
  if options.range > 0 then
    return use(client, buf, { uri = ask.uri(buf), range = ask.lines(client, buf, options.line1, options.line2) })
  end
  local line = api.nvim_win_get_cursor(0)[1]
  with_hunks(buf, function(hunks, change)
    local hunk = at(buf, hunks, line)
    if not hunk then
      return ask.tell('there is no hunk on this line')
    end
    use(client, buf, { uri = ask.uri(buf), range = hunk.range, seen = change.seen })
  end)
end

function M.revert(options)
  target(options, function(client, _, where)
    ask.command(client, 'ahp.hunk.revert', where)
  end)
end

--- With ! the hunks are not kept any more.
function M.keep(options)
  target(options, function(client, _, where)
    where.keep = not options.bang
    ask.command(client, 'ahp.hunk.keep', where)
  end)
end

--- Shows what was there before the hunk on a line.
function M.before(buf, line)
  with_hunks(buf, function(hunks)
    local hunk = at(buf, hunks, line)
    if not hunk then
      return ask.tell('there is no hunk on this line')
    end
    if hunk.before == '' then
      return ask.tell('nothing was here before: these lines are new')
    end
    local text = hunk.before:gsub('\r?\n$', '')
    require('ahp.float').show(vim.split(text, '\r?\n'), {
      filetype = vim.bo[buf].filetype,
      title = (' Before: %s '):format(hunk.title),
      footer = require('ahp.float').footer({ { 'q', 'close' } }),
    })
  end)
end

--- :[range]AhpHunk[!] next|prev|revert|keep|before
function M.command(options)
  local what = options.fargs[1]
  local buf = api.nvim_get_current_buf()
  -- a count comes as a range: :3AhpHunk next
  local count = options.range > 0 and math.max(1, options.count) or 1
  if what == 'next' then
    jump(buf, 1, count)
  elseif what == 'prev' then
    jump(buf, -1, count)
  elseif what == 'revert' then
    M.revert(options)
  elseif what == 'keep' then
    M.keep(options)
  elseif what == 'before' then
    M.before(buf, api.nvim_win_get_cursor(0)[1])
  else
    ask.tell(('there is no :AhpHunk %s; there are %s'):format(what, table.concat(M.subcommands, ', ')), vim.log.levels.ERROR)
  end
end

function M.next(count)
  jump(api.nvim_get_current_buf(), 1, count or 1)
end

function M.prev(count)
  jump(api.nvim_get_current_buf(), -1, count or 1)
end

return M
