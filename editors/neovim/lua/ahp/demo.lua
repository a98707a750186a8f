-- For people who try this out: keys, and a window that lists them. A user's own configuration does not
-- come here.

local api = vim.api
local M = {}

-- Those of the help and the README, with the space bar as leader.
M.keys = {
  { 'n', 'K', nil, 'hover: what was said, or the text before the change' },
  { 'n', ']d', nil, 'next comment' },
  { 'n', ']v', '<Plug>(AhpHunkNext)', 'next hunk, [v previous' },
  { 'n', '[v', '<Plug>(AhpHunkPrev)' },
  { 'n', 'gra', nil, 'what can be done here' },
  { 'n', '<leader>vt', '<Plug>(AhpThread)', 'the whole thread: reply, resolve …' },
  { { 'n', 'x' }, '<leader>vc', '<Plug>(AhpComment)', 'comment, also on a selection' },
  { { 'n', 'x' }, '<leader>vu', '<Plug>(AhpHunkRevert)', 'revert the hunk; u undoes it' },
  { { 'n', 'x' }, '<leader>vk', '<Plug>(AhpHunkKeep)', 'keep the hunk: it is reviewed' },
  { 'n', '<leader>vd', '<Plug>(AhpDiff)', 'before and after, side by side' },
  { 'n', '<leader>vl', '<Plug>(AhpList)', 'all comments and hunks' },
}

--- The keys in two columns, and the lines that the caller adds.
local function help(more)
  local keys = vim.tbl_filter(function(key)
    return key[4]
  end, M.keys)
  local lines, rows = {}, math.ceil(#keys / 2)
  local function cell(key)
    return key and ('%-9s %s'):format(key[2]:gsub('<leader>', 'space '), key[4]) or ''
  end
  for i = 1, rows do
    local left = ' ' .. cell(keys[i])
    local gap = math.max(2, 64 - api.nvim_strwidth(left))
    table.insert(lines, (left .. (' '):rep(gap) .. cell(keys[i + rows])))
  end
  return vim.list_extend(lines, more)
end

local function open_help(lines)
  vim.cmd(('botright %dnew'):format(#lines))
  api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.modified, vim.bo.modifiable = 'nofile', 'wipe', false, false
  for name, value in pairs({ number = false, signcolumn = 'no', winfixheight = true, wrap = false, statusline = ' Keys' }) do
    vim.wo[0][0][name] = value
  end
  vim.cmd.wincmd('p')
end

--- Sets everything up; to be called before plugins are loaded.
function M.start(more)
  vim.g.mapleader = ' '
  vim.o.number, vim.o.signcolumn, vim.o.updatetime, vim.o.swapfile = true, 'yes', 1000, false
  vim.o.statusline, vim.o.laststatus = " %f %m%=%{v:lua.require'ahp'.statusline()}  %l ", 2
  vim.diagnostic.config({ virtual_text = true })
  for _, key in ipairs(M.keys) do
    if key[3] then
      vim.keymap.set(key[1], key[2], key[3])
    end
  end
  api.nvim_create_autocmd('VimEnter', {
    callback = function()
      open_help(help(more))
    end,
  })
end

return M
