-- Which buffers the server is for, and in which folder it works.

local api = vim.api
local M = {}

--- Whether the buffer is a file of the user's: not a help page, a terminal, or another plugin's
--- view such as oil://… or fugitive://….
function M.is_file(buf)
  local name = api.nvim_buf_get_name(buf)
  return vim.bo[buf].buftype == '' and name ~= '' and not name:match('^%a[%w+.-]+://')
end

--- The program to run, and whether it is there. A `cmd` that is a function is taken as it is.
function M.program()
  local cmd = (vim.lsp.config.ahp or {}).cmd
  if type(cmd) ~= 'table' then
    return 'ahp-lsp', true
  end
  return cmd[1], vim.fn.executable(cmd[1]) == 1
end

local warned = false

--- Whether the program is there; if not, says so, once. Neovim itself only logs it.
function M.runs()
  local program, found = M.program()
  if not found and not warned then
    warned = true
    vim.notify(('ahp: %s is not on the PATH; see :checkhealth ahp'):format(program), vim.log.levels.WARN)
  end
  return found
end

--- The `root_dir` of the server: the git work tree. Without one the server goes by the open files.
function M.find(buf, on_dir)
  if M.is_file(buf) then
    on_dir(vim.fs.root(buf, '.git'))
  end
end

return M
