-- What users call. See :help ahp.

local M = {}

--- Changes settings; not needed for the defaults. See :help ahp-settings.
function M.setup(settings)
  local config = require('ahp.config')
  local was = config.get().enable
  config.set(settings)
  if config.get().enable ~= was then
    vim.lsp.enable('ahp', config.get().enable)
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = 'ahp' })) do
    for buf in pairs(client.attached_buffers) do
      require('ahp.signs').draw(buf, true)
    end
  end
end

--- A component for the status line, such as "ahp: 2 comments, 1/3 hunks"; '' without a server.
function M.statusline()
  local win = vim.g.statusline_winid
  local buf = win and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) or 0
  return require('ahp.status').line(buf)
end

--- Where the cursor is among the hunks of a window's file, such as '3/12'; '' without hunks.
function M.position()
  local win = vim.g.statusline_winid
  return require('ahp.hunk').position(win and vim.api.nvim_win_is_valid(win) and win or vim.api.nvim_get_current_win())
end

--- The comments and hunks of a buffer as the server last said, for components of your own:
--- { threads = …, hunks = … }.
function M.review(buf)
  return require('ahp.review').get(buf)
end

return M
