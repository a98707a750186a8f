-- The part of the agent's hunks that is on some lines, and taking it back: for ranges and selections,
-- which mean exactly their lines. A hunk as a whole is the server's business.

local api = vim.api
local M = {}

--- The lines of one side of a change, as a buffer has them.
local function lines_of(buf, text)
  if text == '' then
    return {}
  end
  local lines = vim.split((text:gsub('\n$', '')), '\n')
  if vim.bo[buf].fileformat == 'dos' then
    for i, line in ipairs(lines) do
      lines[i] = line:gsub('\r$', '')
    end
  end
  return lines
end

--- What a hunk and the lines from first to last, counted from 1, have in common, as
--- { first, count, lines }: `count` lines from `first` on are to be `lines`; nil if it is nothing.
---
--- The lines of both sides are paired in order. The last one of the buffer stands for what is left of
--- a longer text before, and lines without a partner were added: taking back each line one by one ends
--- with the text before. Removed lines are meant if those on both sides of them are.
local function overlap(buf, hunk, first, last)
  local before, after = lines_of(buf, hunk.before), lines_of(buf, hunk.after)
  local start = hunk.range.start.line + 1
  if #after == 0 then
    local count = api.nvim_buf_line_count(buf)
    if hunk.range.start.character > 0 then
      start = start + 1 -- behind a last line without a line end
    elseif count == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == '' then
      return { first = 1, count = 1, lines = before } -- an empty buffer has one line all the same
    end
    local above = first < start or first == 1 and start == 1
    local below = last >= start or last == count and start > count
    return above and below and { first = start, count = 0, lines = before } or nil
  end
  local from, to = math.max(first, start), math.min(last, start + #after - 1)
  if from > to then
    return nil
  end
  local i, j = from - start + 1, to - start + 1
  if not vim.deep_equal(vim.list_slice(after, i, j), api.nvim_buf_get_lines(buf, from - 1, to, false)) then
    return nil -- edited by the user
  end
  return { first = from, count = to - from + 1, lines = vim.list_slice(before, i, j == #after and #before or math.min(j, #before)) }
end

--- The parts of hunks on these lines, in order, and why hunks were left out, if some were.
function M.of(buf, hunks, first, last)
  local parts, why = {}, nil
  for _, hunk in ipairs(hunks) do
    local part = overlap(buf, hunk, first, last)
    if part and hunk.canRevert then
      table.insert(parts, part)
    elseif part then
      why = 'the hunk is ' .. hunk.reason
    end
  end
  return parts, why
end

--- Takes parts back: one change of the buffer, for |u|.
function M.revert(buf, parts)
  for i = #parts, 1, -1 do -- from below, so that the lines above keep their numbers
    local part = parts[i]
    api.nvim_buf_set_lines(buf, part.first - 1, part.first - 1 + part.count, true, part.lines)
  end
end

return M
