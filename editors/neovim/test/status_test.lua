local t = require('harness')
local sample = require('sample')
local api = vim.api

t.test('the status line says what there is to review', function()
  local buf = sample.start(t)
  t.wait('the hunks', function() return require('ahp').statusline() == 'ahp: 0/2 hunks' end)
  t.ahp('comment', 'greet.go:7', 'Why?', '--agent')
  t.known(buf, 2, 1)
  t.wait('the comment', function() return require('ahp').statusline() == 'ahp: 1 comment, 0/2 hunks' end)
  t.ahp('turn', 'start', '--title', 'More.')
  t.wait('the agent to work', function() return require('ahp').statusline() == 'ahp: working, 1 comment, 0/2 hunks' end)
  t.ahp('turn', 'end')
  t.wait('the agent to be done', function() return require('ahp').statusline() == 'ahp: 1 comment, 0/2 hunks' end)
end)

t.test('it works in a status line', function()
  sample.start(t)
  t.wait('the hunks', function() return require('ahp').statusline() == 'ahp: 0/2 hunks' end)
  vim.o.statusline, vim.o.laststatus = "%f %{v:lua.require'ahp'.statusline()}", 2
  vim.cmd('redraw!')
  local row = {}
  for column = 1, vim.o.columns do
    row[column] = vim.fn.screenstring(vim.o.lines - 1, column)
  end
  vim.o.statusline = ''
  t.truth(table.concat(row):find('greet.go ahp: 0/2 hunks', 1, true), 'it is there')
end)

t.test('without what the server says of its status it is asked after other news', function()
  local status = require('ahp.status')
  local asked = 0
  local client = {
    id = 4711,
    is_stopped = function() return false end,
    request = function(_, _, params, done)
      asked = asked + (params.command == 'ahp.status' and 1 or 0)
      done(nil, { ok = true, state = 'connected', comments = 0 })
      return true, 1
    end,
  }
  local function settled(count)
    t.wait('the question', function() return asked == count end)
  end
  status.guess(client)
  status.guess(client)
  settled(1)
  status.told(client)
  settled(2)
  status.guess(client) -- now it says so by itself
  status.told(client)
  settled(3)
  status.forget(client.id)
end)

t.test(':AhpStatus shows the connection, the sessions and the changes', function()
  sample.start(t)
  vim.cmd.AhpStatus()
  local text = t.float('connected')
  t.truth(text:find('Sessions\n  ● ') and text:find('Changes\n  ') and text:find('Uncommitted changes: 1 file'), 'all of it')
  t.keys('q')
  t.equal(0, #t.floats())
end)

t.test(':AhpSession asks which one', function()
  sample.start(t)
  vim.cmd.AhpSession()
  t.truth(t.choose('Newest of this folder').prompt:find('Which agent session'), 'the question')
end)

t.test(':checkhealth says what is right', function()
  sample.start(t)
  t.wait('the status', function() return require('ahp').statusline() ~= '' end)
  vim.cmd('checkhealth ahp')
  local text = t.text()
  t.truth(text:find('OK Neovim') and text:find('highlighted as Markdown'), 'of Neovim')
  t.truth(text:find('OK [^\n]*ahp%-lsp: '), 'of the program')
  t.truth(text:find(t.dir .. ': connected to ', 1, true), 'of the connection')
  t.truth(not text:find('ERROR') and not text:find('WARNING'), 'nothing is wrong')
end)

t.test(':checkhealth says what is wrong, and what to do', function()
  local cmd = vim.lsp.config.ahp.cmd
  vim.lsp.config('ahp', { cmd = { 'ahp-lsp-that-is-nowhere' } })
  vim.o.autoread = false
  vim.cmd('checkhealth ahp')
  local text = t.text()
  vim.o.autoread = true
  vim.lsp.config('ahp', { cmd = cmd })
  t.truth(text:find('ERROR ahp%-lsp%-that%-is%-nowhere is not on the PATH'), 'the program')
  t.truth(text:find('go install'), 'the advice')
  t.truth(text:find("WARNING 'autoread' is off"), 'the option')
end)
