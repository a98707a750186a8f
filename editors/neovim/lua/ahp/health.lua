-- :checkhealth ahp

local M = {}

local health = vim.health

local function neovim()
  health.start('ahp: Neovim')
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. version)
  else
    health.error(('Neovim %s is too old'):format(version), 'install 0.11 or newer')
  end
  if pcall(vim.treesitter.language.inspect, 'markdown') then
    health.ok('comments are highlighted as Markdown')
  else
    health.info('there is no treesitter parser for Markdown: comments are shown without colours')
  end
  local config = require('ahp.config').get()
  if not config.reload then
    health.info('the setting reload is off: files that the agent wrote are read again with :checktime')
  elseif not vim.o.autoread then
    health.warn("'autoread' is off: files that the agent wrote are not read again", ':set autoread')
  else
    health.ok("files that the agent wrote are read again ('autoread')")
  end
  if config.signs.enable and vim.o.signcolumn == 'no' then
    health.info("'signcolumn' is \"no\": the signs of hunks are not shown")
  end
  for name, loaded in pairs({ gitsigns = package.loaded.gitsigns, ['mini.diff'] = package.loaded['mini.diff'] }) do
    if loaded and config.signs.enable then
      health.info(("%s is active too: where 'signcolumn' has room for one sign, its signs win"):format(name))
    end
  end
end

local function program()
  health.start('ahp: the server')
  local cmd = (vim.lsp.config.ahp or {}).cmd
  local name, found = require('ahp.root').program()
  if not found then
    health.error(('%s is not on the PATH'):format(name), {
      'install it: "go install ./cmd/ahp-lsp" in a clone of its repository',
      "or say where it is: vim.lsp.config('ahp', { cmd = { '/path/of/ahp-lsp', '--stdio' } })",
    })
    return
  end
  if type(cmd) == 'table' then
    local ran, result = pcall(function()
      return vim.system({ name, 'version' }, { text = true }):wait(5000)
    end)
    if ran and result.code == 0 then
      health.ok(('%s: %s'):format(vim.fn.exepath(name), vim.split(vim.trim(result.stdout), '\n')[1]))
    else
      health.error(('%s does not run'):format(name), ran and vim.trim(result.stderr) or tostring(result))
    end
  end
  if not require('ahp.config').get().enable then
    health.info("the setting enable is off: the server is started with vim.lsp.enable('ahp')")
  end
end

local function connection()
  local clients = vim.lsp.get_clients({ name = 'ahp' })
  if #clients == 0 then
    health.info('the server is not running: it starts with the next file that is opened; :lua vim.lsp.enable("ahp") starts it for open files')
  end
  for _, client in ipairs(clients) do
    local where = client.root_dir or 'no folder'
    local reply = client:request_sync('workspace/executeCommand', { command = 'ahp.status', arguments = { vim.empty_dict() } }, 3000)
    local status = reply and reply.result
    if not status then
      health.error(('the server of %s does not answer'):format(where), ':LspLog says more')
    elseif status.state == 'connected' then
      health.ok(('%s: connected to %s'):format(where, status.host or 'a host'))
      local followed = vim.tbl_filter(function(session)
        return session.followed
      end, status.sessions)
      if #followed == 0 then
        health.warn('no agent session works here', 'start one, or choose one with :AhpSession')
      end
    else
      health.warn(('%s: %s%s'):format(where, status.state, status.error and ': ' .. status.error or ''), '"ahp-lsp doctor" says what is missing')
    end
  end
end

function M.check()
  neovim()
  program()
  connection()
end

return M
