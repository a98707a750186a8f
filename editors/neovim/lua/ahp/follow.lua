-- Keeps what the user looks at in place when a buffer is read again: reading leaves the cursor at the
-- old line's number, but the agent may have added lines above it.

local api = vim.api
local M = {}

local diff = vim.text and vim.text.diff or vim.diff

--- Where a line of the old text, counted from 1, is in the new one.
local function moved(line, changes)
  local shift = 0
  for _, change in ipairs(changes) do
    local old, old_count, new, new_count = change[1], change[2], change[3], change[4]
    -- Without lines on one side the number is of the line before.
    local first = old_count == 0 and old + 1 or old
    if line < first then
      break
    end
    if line < first + old_count then
      local start = new_count == 0 and new + 1 or new
      return math.max(1, start + math.min(line - first, math.max(new_count - 1, 0)))
    end
    shift = shift + new_count - old_count
  end
  return line + shift
end

--- How two texts, as lists of lines, differ.
local function compare(old, new)
  return diff(table.concat(old, '\n') .. '\n', table.concat(new, '\n') .. '\n', { result_type = 'indices' })
end

--- Where a line of one text, counted from 1, is in another.
function M.line(old, new, line)
  return moved(line, compare(old, new))
end

--- Runs `read`, which may read the buffer again, and moves the views of its windows along.
function M.around(buf, read)
  local windows = vim.fn.win_findbuf(buf)
  if #windows == 0 then
    return read()
  end
  local before, tick = api.nvim_buf_get_lines(buf, 0, -1, false), api.nvim_buf_get_changedtick(buf)
  local views = {}
  for _, win in ipairs(windows) do
    views[win] = api.nvim_win_call(win, vim.fn.winsaveview)
  end
  read()
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) == tick then
    return
  end
  local after = api.nvim_buf_get_lines(buf, 0, -1, false)
  local changes = compare(before, after)
  for win, view in pairs(views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
      local line = math.min(moved(view.lnum, changes), #after)
      view.topline = math.max(1, view.topline + line - view.lnum)
      view.lnum = line
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

return M
