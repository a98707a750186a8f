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

--- The lines, counted from 1, on which a hunk is shown; removed lines are at the line that follows.
function M.lines(buf, hunk)
  local count = api.nvim_buf_line_count(buf)
  local first, last = hunk.range.start.line + 1, hunk.range['end'].line + 1
  if hunk.range['end'].character == 0 and last > first then
    last = last - 1
  end
  return math.min(first, count), math.min(last, count)
end

function M.draw(buf)
  api.nvim_buf_clear_namespace(buf, M.namespace, 0, -1)
  local settings = require('ahp.config').get().signs
  local review = require('ahp.review').get(buf)
  local change = review.change
  if not settings.enable or not change or change.stale then
    return
  end
  for _, hunk in ipairs(review.hunks) do
    if hunk.state ~= 'undone' then
      local kind = M.kind(hunk)
      local text = settings[kind:lower()]
      local group = 'AhpHunk' .. (hunk.kept and 'Kept' or change.proposed and 'Proposed' or kind)
      local first, last = M.lines(buf, hunk)
      for line = first, last do
        api.nvim_buf_set_extmark(buf, M.namespace, line - 1, 0, {
          sign_text = text ~= '' and text or nil,
          sign_hl_group = text ~= '' and group or nil,
          number_hl_group = settings.numhl and group .. 'Nr' or nil,
          priority = settings.priority,
        })
      end
    end
  end
end

return M
