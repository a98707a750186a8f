-- What the server tells the user.

local M = {}

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

--- The handler of window/showMessage. The server says who speaks; Neovim's own handler would say it
--- once more.
function M.show(_, params)
  vim.notify(params.message, levels[params.type] or vim.log.levels.INFO)
end

return M
