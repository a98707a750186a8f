-- For somebody who tries this out: keys, and a window that says which. No configuration of a user's
-- own comes here.

local api = vim.api
local M = {}

M.keys = {
  { 'n', 'K', nil, 'hover: what was said, or the text before the change' },
  { 'n', ']d', nil, 'next comment' },
  { 'n', ']a', '<Plug>(AhpHunkNext)', 'next hunk' },
  { 'n', 'gra', nil, 'what can be done here' },
  { 'n', '<Space>t', '<Plug>(AhpThread)', 'the whole thread: reply, resolve …' },
  { { 'n', 'x' }, '<Space>c', '<Plug>(AhpComment)', 'comment, also on a selection' },
  { { 'n', 'x' }, '<Space>r', '<Plug>(AhpHunkRevert)', 'revert the hunk; u undoes it' },
  { { 'n', 'x' }, '<Space>k', '<Plug>(AhpHunkKeep)', 'keep the hunk: it was reviewed' },
  { 'n', '<Space>d', '<Plug>(AhpDiff)', 'before and after, side by side' },
  { 'n', '<Space>l', '<Plug>(AhpList)', 'all comments and hunks' },
}

--- The keys in two columns, and the lines that the caller adds.
local function help(more)
  local lines, rows = {}, math.ceil(#M.keys / 2)
  local function cell(key)
    return key and ('%-9s %s'):format(key[2]:gsub('<Space>', 'space '), key[4]) or ''
  end
  for i = 1, rows do
    local left = ' ' .. cell(M.keys[i])
    local gap = math.max(2, 64 - api.nvim_strwidth(left))
    table.insert(lines, (left .. (' '):rep(gap) .. cell(M.keys[i + rows])))
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
