-- Operators, mappings that `.` repeats, and the text object.

local api = vim.api
local M = {}

--- For an <expr> mapping: lets `g@` call one of the functions below.
local function with(name, keys)
  return function()
    vim.o.operatorfunc = ("v:lua.require'ahp.operator'.%s"):format(name)
    return keys
  end
end

--- Operators: the lines of a motion, a text object or a selection.
M.revert, M.keep = with('revert_lines', 'g@'), with('keep_lines', 'g@')

--- Without a motion: the hunk at the cursor. `l` is one that always works; its count is the number of
--- hunks.
M.revert_here, M.keep_here = with('revert_hunks', 'g@l'), with('keep_hunks', 'g@l')

local function lines()
  return vim.fn.line("'["), vim.fn.line("']")
end

function M.revert_lines()
  require('ahp.hunk').revert({ lines = { lines() } })
end

function M.keep_lines()
  require('ahp.hunk').keep(true, { lines = { lines() } })
end

function M.revert_hunks()
  require('ahp.hunk').revert({ count = vim.v.count1 })
end

function M.keep_hunks()
  require('ahp.hunk').keep(true, { count = vim.v.count1 })
end

--- Selects the lines of the hunk at the cursor, for operators and in Visual mode.
function M.select()
  local first, last = require('ahp.hunk').extent()
  if first then
    if vim.fn.mode():find('[vV\22]') then
      vim.cmd.normal({ vim.keycode('<Esc>'), bang = true })
    end
    vim.cmd.normal({ ('%dGV%dG'):format(first, last), bang = true })
  elseif vim.fn.mode(1):find('^no') then
    api.nvim_feedkeys(vim.keycode('<Esc>'), 'in', false) -- nothing to operate on
  end
end

return M
