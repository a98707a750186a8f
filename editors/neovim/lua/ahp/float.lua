-- Floating windows.

local api = vim.api
local M = {}

function M.border()
  local ok, set = pcall(function()
    return vim.o.winborder
  end)
  return ok and set ~= '' and set or require('ahp.config').get().border
end

--- Width and height of a window for these lines, wrapped.
function M.size(lines, least)
  local settings = require('ahp.config').get().window
  local widest = least or 20
  for _, line in ipairs(lines) do
    widest = math.max(widest, api.nvim_strwidth(line))
  end
  local width = math.max(1, math.min(widest, settings.width, vim.o.columns - 4))
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(api.nvim_strwidth(line) / width))
  end
  return width, math.max(1, math.min(height, settings.height, vim.o.lines - 4))
end

--- Where a window goes: at the cursor, below or above its line; next to a floating window that the
--- user is in, so that what is there can still be read.
local function place(width, height, border)
  local options = vim.lsp.util.make_floating_popup_options(width, height, { border = border })
  -- That function wants room for the whole window on one side; where there is none it is cut off.
  options.height = math.max(options.height, math.min(height, 3))
  options.width = width
  local here = api.nvim_win_get_config(0)
  if here.relative == '' then
    return options
  end
  vim.cmd.redraw() -- where a window is is known once it has been drawn
  local edge = border == 'none' and 0 or 1
  local top, left = unpack(api.nvim_win_get_position(0))
  local below = top + here.height + 2 * edge
  local above = top - height - 2 * edge
  local last = vim.o.lines - vim.o.cmdheight - height - 2 * edge
  options.relative, options.anchor = 'editor', 'NW'
  options.row = math.max(0, below <= last and below or above >= 0 and above or last)
  options.col, options.height = left, height
  return options
end

--- Opens a window and goes there. `spec` has buf, width and height, and may have title and footer.
function M.open(spec)
  local border = M.border()
  local options = place(spec.width, spec.height, border)
  if border ~= 'none' then
    options.title, options.title_pos = spec.title, spec.title and 'left' or nil
    options.footer, options.footer_pos = spec.footer, spec.footer and 'right' or nil
  end
  local win = api.nvim_open_win(spec.buf, true, options)
  for name, value in pairs({
    wrap = true, linebreak = true, number = false, relativenumber = false, signcolumn = 'no',
    foldenable = false, list = false, spell = false, cursorline = false, winfixbuf = true, diff = false,
  }) do
    vim.wo[win][0][name] = value
  end
  return win
end

--- A list of keys as a window's footer: { { 'r', 'reply' }, … }.
function M.footer(keys)
  local parts = {}
  for i, key in ipairs(keys) do
    table.insert(parts, { (i == 1 and ' ' or '  ') .. key[1], 'Special' })
    table.insert(parts, { ' ' .. key[2], 'AhpKeys' })
  end
  table.insert(parts, { ' ', 'AhpKeys' })
  return parts
end

--- A read-only buffer that goes with its window.
function M.buffer(lines, filetype)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  if filetype then
    vim.bo[buf].filetype = filetype
  end
  return buf
end

--- Shows lines until `q` or <Esc>.
function M.show(lines, options)
  local buf = M.buffer(lines, options.filetype)
  local width, height = M.size(lines, options.title and api.nvim_strwidth(options.title) + 2)
  local win = M.open({ buf = buf, width = width, height = height, title = options.title, footer = options.footer })
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'Close' })
  end
  return buf, win
end

return M
