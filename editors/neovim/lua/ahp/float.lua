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

--- The lines of the screen, counted from 0, that a new window should leave free: that of the cursor,
--- or those of the floating window that the user is in; and the column to begin at.
local function here()
  local config = api.nvim_win_get_config(0)
  if config.relative ~= '' then
    vim.cmd.redraw() -- where a window is is known once it has been drawn
    local edge = config.border and config.border ~= 'none' and 2 or 0
    local top, left = unpack(api.nvim_win_get_position(0))
    return top, top + config.height + edge, left
  end
  local corner = vim.fn.win_screenpos(0)
  local row = corner[1] + vim.fn.winline() - 2
  return row, row + 1, corner[2] + vim.fn.wincol() - 2
end

--- Where a window goes: below that, or above it, or where there is more room; so that what it is
--- about can still be read.
local function place(width, height, border)
  local edge = border == 'none' and 0 or 2
  local screen = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0)
  local above, below, column = here()
  local fits = height + edge
  local row
  if below + fits <= screen then
    row = below
  elseif above >= fits then
    row = above - fits
  elseif screen - below >= above then
    row = math.max(0, math.min(below, screen - 3 - edge))
    height = math.max(1, screen - row - edge)
  else
    row, height = 0, math.max(1, above - edge)
  end
  return {
    relative = 'editor', style = 'minimal', border = border, width = width, height = height,
    row = row, col = math.max(0, math.min(column, vim.o.columns - width - edge)),
  }
end

--- In the middle of the screen: for what is about no line.
local function middle(width, height, border)
  return {
    relative = 'editor', style = 'minimal', border = border, width = width, height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1), col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
  }
end

--- Opens a window and goes there. `spec` has buf, width and height, and may have title, footer and
--- middle.
function M.open(spec)
  local border = M.border()
  local options = (spec.middle and middle or place)(spec.width, spec.height, border)
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
  local win = M.open({ buf = buf, width = width, height = height, title = options.title, footer = options.footer, middle = options.middle })
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'Close' })
  end
  return buf, win
end

return M
