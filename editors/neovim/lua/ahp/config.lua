-- The settings of this plugin. The server's own are in vim.lsp.config('ahp', { settings = … }).

local M = {}

M.defaults = {
  enable = true, -- start the server in every file
  codelens = true, -- show the server's code lenses, and no other server's
  reload = true, -- read files again that the agent wrote
  advance = false, -- go to the next hunk after reverting or keeping one
  files = true, -- behind the last hunk of a file, go to the next changed file
  border = 'rounded', -- of floating windows, where 'winborder' is empty
  signs = {
    enable = true,
    priority = 5, -- below gitsigns (6), diagnostics (10) and mini.diff (199)
    add = '┃',
    change = '┃',
    delete = '▁', -- on the line above
    topdelete = '▔', -- on the first line, where there is none above
    numhl = false, -- colour the line numbers, too
  },
  diff = {
    layout = 'tab', -- or 'vertical', 'horizontal': a split of the window
  },
  window = {
    width = 80, -- at most
    height = 20,
  },
}

local current

local function complain(name, what)
  vim.notify(('ahp: the setting %s %s; it is ignored'):format(name, what), vim.log.levels.WARN)
end

--- Copies what is right in `given` into `settings`, and names what is not.
local function merge(settings, given, prefix)
  for name, value in pairs(given) do
    local default = settings[name]
    local full = prefix .. tostring(name)
    if default == nil then
      complain(full, 'does not exist')
    elseif name == 'border' and type(value) == 'table' then
      settings[name] = value
    elseif type(value) ~= type(default) then
      complain(full, ('must be a %s, not a %s'):format(type(default), type(value)))
    elseif type(value) == 'table' then
      merge(default, value, full .. '.')
    else
      settings[name] = value
    end
  end
end

--- The settings in force: the defaults, then vim.g.ahp, then what setup() got.
function M.get()
  if not current then
    current = vim.deepcopy(M.defaults)
    local given = vim.g.ahp
    if type(given) == 'table' then
      merge(current, given, '')
    elseif given ~= nil then
      complain('vim.g.ahp', 'must be a table')
    end
  end
  return current
end

function M.set(given)
  merge(M.get(), given or {}, '')
end

return M
