-- Messages never ask for Enter, and say nothing that is no news. In a Neovim of its own, in a terminal.

local t = require('harness')
local api = vim.api

--- Starts Neovim in a terminal of this width. Answers with call(lua, …), mode() and screen().
local function terminal(columns)
  local plugin = vim.fs.dirname(vim.fs.dirname(api.nvim_get_runtime_file('plugin/ahp.lua', false)[1]))
  local socket = vim.fn.tempname()
  local was = vim.o.columns
  vim.o.columns = columns
  vim.cmd.enew()
  local job = vim.fn.jobstart({
    vim.v.progpath, '--clean', '-n', '--listen', socket,
    '--cmd', ('lua vim.opt.rtp:prepend(%q)'):format(plugin), '--cmd', 'let g:ahp = #{enable: v:false}',
  }, { term = true })
  local buf = api.nvim_get_current_buf()
  local channel = t.wait('Neovim', function()
    local ok, found = pcall(vim.fn.sockconnect, 'pipe', socket, { rpc = true })
    return ok and found
  end)
  local child = {}
  function child.mode() return vim.fn.rpcrequest(channel, 'nvim_get_mode') end
  -- One that waits for Enter would not answer.
  function child.call(code, ...)
    t.equal(false, child.mode().blocking, 'it waits for a key')
    return vim.fn.rpcrequest(channel, 'nvim_exec_lua', code, { ... })
  end
  function child.input(keys) vim.fn.rpcrequest(channel, 'nvim_input', keys) end
  function child.screen() return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n') end
  function child.close()
    vim.fn.jobstop(job)
    vim.fn.jobwait({ job }, t.patience)
    vim.fn.chanclose(channel)
    vim.cmd('bwipeout!')
    vim.o.columns = was
  end
  t.wait('its screen', function() return child.screen():find('%[No Name%]') end)
  return child
end

local show = [[
  local messages = ...
  for _, m in ipairs(messages) do
    require('ahp.message').show(nil, { type = m[1], message = m[2] }, { client_id = 1 })
  end]]

local long = 'ahp: Reverted the changes in 3 files: some/folder/of/the/project/main.go, other.go and third.go. A copy is kept; "undo" restores it (kept as 4f2a9c).'

for _, columns in ipairs({ 40, 80, 200 }) do
  t.test(('one line, never Enter, %d columns wide'):format(columns), function()
    local child = terminal(columns)
    for _, keys in ipairs({ '', 'i' }) do
      child.input(keys)
      t.wait('the mode', function() return child.mode().mode == (keys == '' and 'n' or 'i') end)
      child.call(show, { { 3, long }, { 2, 'ahp: one\nand\nanother' }, { 1, 'ahp: last' } })
      t.wait('the last one', function() return child.screen():find('ahp: last') end)
      t.equal({ mode = keys == '' and 'n' or 'i', blocking = false }, child.mode())
    end
    -- A command line is left alone until it is over.
    child.input('<Esc>:echo 12')
    t.wait('the command line', function() return child.screen():find(':echo 12') end)
    child.call(show, { { 1, 'ahp: later' } })
    t.truth(not child.screen():find('ahp: later'), 'not now')
    child.input('<C-u><BS>')
    t.wait('the message', function() return child.screen():find('ahp: later') end)
    t.equal({ mode = 'n', blocking = false }, child.mode())
    -- Nothing is lost.
    t.equal(long, child.call("return require('ahp.message').all()[1].text"))
    child.call("vim.cmd.messages('clear')")
    -- This is what would have happened.
    child.input('<Esc>')
    child.call('local text = ... vim.schedule(function() vim.notify(text) end)', (long .. ' '):rep(3))
    t.wait('the question', function() return child.mode().blocking end)
    child.input('<CR>')
    child.close()
  end)
end

t.test('a host that is taken over is no news, one that stays away is', function()
  local message = require('ahp.message')
  local lost, back = 'ahp: the connection was lost: EOF; trying again', 'ahp: connected to git (Agent Host Protocol 1.0)'
  local was = message.outage
  message.outage = 50
  local function say(text) message.show(nil, { type = 2, message = text }, { client_id = 7 }) end
  say(lost)
  say(back)
  local ended = false
  vim.defer_fn(function() ended = true end, 200)
  t.wait('some time', function() return ended end)
  t.equal({}, t.messages())
  say(lost)
  t.told('trying again')
  say(back)
  t.told('connected to')
  message.outage = was
end)

t.test('the host of another editor that exits is taken over in silence', function()
  local sample = require('sample')
  t.repository({ ['greet.go'] = sample.before })
  t.write('greet.go', sample.after)
  local serving = ''
  local other = vim.system({ 'ahp-lsp', 'host' }, {
    cwd = t.dir,
    stdout = function(_, data) serving = serving .. (data or '') end,
    stderr = function(_, data) serving = serving .. (data or '') end,
  })
  t.wait('the other host', function() return serving ~= '' end)
  local buf = t.open('greet.go')
  t.known(buf, 2)
  other:kill('sigkill')
  -- Nothing is said of it; that a comment arrives shows that there is a host again.
  local said = vim.system({ 'ahp-lsp', 'comment', 'greet.go:7', 'Still there?' }, { cwd = t.dir, text = true }):wait()
  t.equal(0, said.code, said.stderr)
  t.wait('the comment', function() return #vim.diagnostic.get(buf) == 1 end)
  t.equal({}, t.messages())
end)

t.test('outside a repository nothing is said, but :AhpStatus says it', function()
  require('ahp.message').show(nil, { type = 3, message = 'ahp: no agent host found; "ahp-lsp doctor" says what to do' }, { client_id = 7 })
  t.equal({}, t.messages())
  local all = require('ahp.message').all()
  t.truth(all[#all].text:find('no agent host found'), 'it is kept')
end)

t.test('no message says to read a file again that is read again anyway', function()
  local text = 'ahp: Reverted. The buffer shows another text than the disk: reload it.'
  local function say() require('ahp.message').show(nil, { type = 3, message = text }, { client_id = 7 }) end
  say()
  t.equal('ahp: Reverted.', t.told('Reverted').text)
  vim.cmd.enew()
  api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' })
  say()
  t.equal(text, t.told('Reverted').text)
end)
