local t = require('harness')
local sample = require('sample')
local api = vim.api

local function clients(buf)
  return #vim.lsp.get_clients({ name = 'ahp', bufnr = buf })
end

t.test('every kind of file gets the server, and one server serves them all', function()
  t.repository({ ['a.go'] = 'package a\n', ['b.unknown'] = 'b\n', ['Makefile'] = 'all:\n' })
  for _, name in ipairs({ 'a.go', 'b.unknown', 'Makefile' }) do
    t.equal(1, clients(t.open(name)), name)
  end
  t.equal(1, #vim.lsp.get_clients({ name = 'ahp' }))
  t.equal(t.dir, t.client().root_dir)
  t.equal(true, t.client().config.init_options.notifications)
end)

t.test('what is no file gets none', function()
  t.repository({ ['a.go'] = 'package a\n' })
  local real = t.open('a.go')
  local others = {}
  vim.cmd.help()
  table.insert(others, api.nvim_get_current_buf())
  vim.cmd('new')
  vim.bo.filetype = 'lua'
  table.insert(others, api.nvim_get_current_buf())
  vim.cmd('edit fugitive:///somewhere//0/a.go')
  vim.bo.filetype = 'go'
  table.insert(others, api.nvim_get_current_buf())
  vim.cmd('new')
  vim.bo.buftype = 'nofile'
  vim.bo.filetype = 'go'
  table.insert(others, api.nvim_get_current_buf())
  for _, buf in ipairs(others) do
    local started
    require('ahp.root').find(buf, function() started = true end)
    t.equal(nil, started, api.nvim_buf_get_name(buf))
    t.equal(0, clients(buf))
  end
  t.equal(1, clients(real))
end)

t.test("only this server's code lenses are shown", function()
  local asked = false
  local function other(dispatchers)
    local stopped = false
    return {
      request = function(method, _, done)
        asked = asked or method == 'textDocument/codeLens'
        done(nil, method == 'initialize' and { capabilities = { codeLensProvider = {} } } or vim.NIL)
        return true, 1
      end,
      notify = function(method)
        if method == 'exit' then
          stopped = true
          dispatchers.on_exit(0, 0)
        end
        return true
      end,
      is_closing = function() return stopped end,
      terminate = function() stopped = true end,
    }
  end
  local buf = sample.start(t)
  vim.lsp.start({ name = 'other', cmd = other, root_dir = t.dir }, { bufnr = buf })
  t.wait('the lenses', function() return #vim.lsp.codelens.get({ bufnr = buf }) > 0 end)
  t.equal(false, asked)
end)

t.test('Neovim 0.11 is handed the lenses, and again when they are others', function()
  local lens, last = vim.lsp.codelens, nil
  local enable, take = lens.enable, lens.on_codelens
  lens.enable, lens.on_codelens = nil, function(_, result) last = vim.json.encode(result) end
  local ok, why = pcall(function()
    local buf = sample.start(t)
    t.wait('the lenses', function() return last and last:find('Revert hunk') end)
    t.ahp('comment', 'greet.go:7', 'Why?', '--agent')
    t.wait("the comment's lens", function() return last:find('agent: Why?', 1, true) end)
  end)
  lens.enable, lens.on_codelens = enable, take
  assert(ok, why)
end)

t.test('the code lenses of a line are in the order of the server', function()
  local buf = sample.start(t)
  t.ahp('comment', 'greet.go:7', 'Why?', '--agent')
  t.known(buf, 2, 1)
  t.wait('the lenses', function()
    vim.cmd('redraw!')
    return t.row(vim.fn.screenpos(0, 7, 1).row - 1):find('Keep hunk | Revert hunk .*| Stage: line 7 | agent: Why%? | Accept | Resolve | Reply')
  end)
end)

t.test('without the program it says so, once', function()
  t.repository({ ['a.txt'] = 'a\n', ['b.txt'] = 'b\n' })
  local cmd = vim.lsp.config.ahp.cmd
  vim.lsp.config('ahp', { cmd = { 'ahp-lsp-that-is-nowhere' } })
  vim.cmd.edit('a.txt')
  t.told('ahp%-lsp%-that%-is%-nowhere is not on the PATH')
  vim.cmd.edit('b.txt')
  vim.cmd.AhpThread()
  t.told('not attached to this buffer')
  t.equal({}, t.messages())
  vim.lsp.config('ahp', { cmd = cmd })
end)

t.test('settings that are wrong are named, and the others count', function()
  require('ahp').setup({ signs = { priority = 'high', add = '+' }, nonsense = 1 })
  t.told('signs.priority must be a number, not a string')
  t.told('nonsense does not exist')
  local config = require('ahp.config').get()
  t.equal(5, config.signs.priority)
  t.equal('+', config.signs.add)
  require('ahp').setup({ signs = { add = '┃' } })
end)

t.test('there are no keys but <Plug> ones', function()
  local plugs = {}
  for _, mode in ipairs({ 'n', 'x', 'i', 'o' }) do
    for _, map in ipairs(api.nvim_get_keymap(mode)) do
      if (map.desc or ''):find('^ahp:') then
        t.truth(map.lhs:find('^<Plug>%(Ahp'), map.lhs)
        plugs[map.lhs] = true
      end
    end
  end
  t.equal(16, vim.tbl_count(plugs))
end)

t.test('when the server ends, nothing of it is left', function()
  local buf = sample.start(t)
  t.wait('the status line', function() return require('ahp').statusline() ~= '' end)
  local lenses = api.nvim_create_namespace('nvim.lsp.codelens:' .. t.client().id)
  t.wait('the lenses', function()
    vim.cmd('redraw!')
    return #api.nvim_buf_get_extmarks(buf, lenses, 0, -1, {}) > 0
  end)
  t.client():stop()
  t.wait('the signs to go', function()
    return #api.nvim_buf_get_extmarks(buf, require('ahp.signs').namespace, 0, -1, {}) == 0
  end)
  t.wait('the status line to be empty', function() return require('ahp').statusline() == '' end)
  t.equal({}, api.nvim_buf_get_extmarks(buf, lenses, 0, -1, {}))
  t.equal({}, vim.lsp.codelens.get({ bufnr = buf }))
  vim.cmd.AhpComment()
  t.told('not attached')
end)
