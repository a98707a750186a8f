-- Signs on the lines that the agent changed. Their priority is below that of gitsigns, mini.diff and
-- diagnostics: in a sign column of one width theirs is seen where there are both, in a wider one
-- both are. Nothing of another plugin's is touched.

local api = vim.api
local M = {}

M.namespace = api.nvim_create_namespace('ahp.hunks')

--- What kind of change a hunk is: 'Add', 'Delete' or 'Change'.
function M.kind(hunk)
  if hunk.before == '' then
    return 'Add'
  end
  return hunk.after == '' and 'Delete' or 'Change'
end

--- The lines, counted from 1, on which a hunk is; removed lines are at the line that follows.
function M.lines(buf, hunk)
  local count = api.nvim_buf_line_count(buf)
  local first, last = hunk.range.start.line + 1, hunk.range['end'].line + 1
  if hunk.range['end'].character == 0 and last > first then
    last = last - 1
  end
  return math.min(first, count), math.min(last, count)
end

local drawn = {} -- buffer → extmark id → highlight group and text

--- The group of each line, counted from 0, that is to have a sign.
local function wanted(buf, settings)
  local review, lines = require('ahp.review').get(buf), {}
  local change = review.change
  if not settings.enable or not change or change.stale then
    return lines
  end
  for _, hunk in ipairs(review.hunks) do
    if hunk.state ~= 'undone' then
      local kind = M.kind(hunk)
      local group = 'AhpHunk' .. (hunk.kept and 'Kept' or change.proposed and 'Proposed' or kind)
      local text = settings[kind:lower()]
      local first, last = M.lines(buf, hunk)
      if kind == 'Delete' then
        -- At the lower edge of the line above, as gitsigns has it; the first line has none above.
        if hunk.range.start.line == 0 then
          text = settings.topdelete
        elseif hunk.range.start.character == 0 then
          first, last = hunk.range.start.line, hunk.range.start.line
        end
      end
      for line = first, last do
        -- Where lines were removed next to a changed line, the changed one is meant.
        if not lines[line - 1] or kind ~= 'Delete' then
          lines[line - 1] = { group = group, text = text }
        end
      end
    end
  end
  return lines
end

--- Draws the signs of a buffer. Those that are right stay: they have moved with their lines, and an
--- agent's new file may have very many. With `all`, after other settings, none stays.
function M.draw(buf, all)
  if all then
    M.clear(buf)
  end
  local settings = require('ahp.config').get().signs
  local lines, known = wanted(buf, settings), drawn[buf] or {}
  local kept = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, M.namespace, 0, -1, {})) do
    local id, row = mark[1], mark[2]
    local sign = lines[row]
    if sign and known[id] == sign.group .. sign.text then
      kept[id] = known[id]
      lines[row] = nil
    else
      api.nvim_buf_del_extmark(buf, M.namespace, id)
    end
  end
  for row, sign in pairs(lines) do
    local shown = sign.text ~= ''
    local id = api.nvim_buf_set_extmark(buf, M.namespace, row, 0, {
      sign_text = shown and sign.text or nil,
      sign_hl_group = shown and sign.group or nil,
      number_hl_group = settings.numhl and sign.group .. 'Nr' or nil,
      priority = settings.priority,
    })
    kept[id] = sign.group .. sign.text
  end
  drawn[buf] = kept
end

function M.clear(buf)
  drawn[buf] = nil
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, M.namespace, 0, -1)
  end
end

return M
