-- What the tests have in common: repositories, the server, the user's keys and answers. Nothing of
-- the server is imitated; the agent is the command line of ahp-lsp.

local api = vim.api
local M = {}

-- How long something that should take well under a second is waited for, in milliseconds.
M.patience = 20000

local tests = {}
local asked, told = {}, {}

--- Declares a test.
function M.test(name, run)
  table.insert(tests, { name = name, run = run })
end

--- The configuration of a user who has none, and whose questions the tests answer.
function M.configure()
  vim.o.columns, vim.o.lines = 120, 40
  vim.o.swapfile, vim.o.hidden = false, true
  vim.lsp.config('ahp', { cmd = { 'ahp-lsp', '--stdio', '--host', 'git' } })
  require('ahp.client').limit = M.patience -- the machine may be slow
  vim.ui.select = function(items, options, choose)
    table.insert(asked, { items = vim.tbl_map(options.format_item or tostring, items), prompt = options.prompt, choose = function(i)
      choose(i and items[i], i)
    end })
  end
  vim.notify = function(text, level)
    table.insert(told, { text = text, level = level or vim.log.levels.INFO })
  end
end

--- Waits until `is` returns something, and returns that.
function M.wait(what, is)
  local value
  if not vim.wait(M.patience, function()
    value = is()
    return value
  end, 10) then
    error(('waited in vain for %s\n%s'):format(what, M.picture()), 2)
  end
  return value
end

--- A row of the screen, from 1, as it was last drawn.
function M.row(row)
  local cells = {}
  for column = 1, vim.o.columns do
    cells[column] = vim.fn.screenstring(row, column)
  end
  return (table.concat(cells):gsub('%s+$', ''))
end

--- What a failure shows.
function M.picture()
  vim.cmd('redraw!')
  local lines = {}
  for row = 1, vim.o.lines do
    lines[row] = M.row(row)
  end
  local text = table.concat(lines, '\n'):gsub('\n+$', '')
  return text .. '\n' .. vim.inspect({ told = told, asked = vim.tbl_map(function(a) return { a.prompt, a.items } end, asked) })
end

function M.equal(want, got, what)
  if not vim.deep_equal(want, got) then
    error(('%swanted %s\ngot %s\n%s'):format(what and what .. ': ' or '', vim.inspect(want), vim.inspect(got), M.picture()), 2)
  end
end

function M.truth(value, what)
  if not value then
    error(('not so: %s\n%s'):format(what, M.picture()), 2)
  end
  return value
end

--- Runs a program in the repository and returns its output.
function M.sh(...)
  local result = vim.system({ ... }, { cwd = M.dir, text = true }):wait(M.patience)
  if result.code ~= 0 then
    error(('%s: %s%s'):format(table.concat({ ... }, ' '), result.stdout, result.stderr), 2)
  end
  return vim.trim(result.stdout)
end

function M.ahp(...)
  return M.sh('ahp-lsp', ...)
end

function M.path(name)
  return vim.fs.joinpath(M.dir, name)
end

--- Writes a file, as an agent does.
function M.write(name, text)
  local f = assert(io.open(M.path(name), 'wb'))
  f:write(text)
  f:close()
end

function M.read(name)
  local f = assert(io.open(M.path(name), 'rb'))
  local text = f:read('*a')
  f:close()
  return text
end

--- Makes a repository with these files committed.
function M.repository(files)
  M.dir = vim.uv.fs_realpath(vim.fn.tempname():match('(.*)/')) .. '/' .. vim.uv.hrtime()
  vim.fn.mkdir(M.dir, 'p')
  for name, text in pairs(files) do
    M.write(name, text)
  end
  M.sh('git', 'init', '--quiet')
  M.sh('git', 'add', '.')
  M.sh('git', 'commit', '--quiet', '--message', 'Before')
  vim.fn.chdir(M.dir)
end

--- A turn of an agent that writes files.
function M.turn(title, files)
  M.ahp('turn', 'start', '--title', title)
  for name, text in pairs(files) do
    M.write(name, text)
  end
  M.ahp('turn', 'end')
end

function M.client()
  return vim.lsp.get_clients({ name = 'ahp' })[1]
end

--- Opens a file and waits for the server. Answers with the buffer.
function M.open(name)
  vim.cmd.edit(vim.fn.fnameescape(M.path(name)))
  M.wait('the server', function()
    local client = vim.lsp.get_clients({ name = 'ahp', bufnr = 0 })[1]
    return client and client.initialized
  end)
  return api.nvim_get_current_buf()
end

--- Waits until the plugin knows of this many hunks and comments of a buffer.
function M.known(buf, hunks, threads)
  return M.wait(('%d hunks and %d comments'):format(hunks, threads or 0), function()
    local review = require('ahp.review').get(buf)
    return #review.hunks == hunks and #review.threads == (threads or 0) and review
  end)
end

function M.text(buf)
  return table.concat(api.nvim_buf_get_lines(buf or 0, 0, -1, false), '\n') .. '\n'
end

function M.cursor(line, column)
  api.nvim_win_set_cursor(0, { line, column or 0 })
end

--- Presses keys, in Vim's notation.
function M.keys(keys)
  api.nvim_feedkeys(vim.keycode(keys), 'tx', false)
end

--- Waits for a floating window that is the current one, and answers with its text.
function M.float(pattern)
  return M.wait('a floating window with ' .. (pattern or 'anything'), function()
    local text = M.text()
    return api.nvim_win_get_config(0).relative ~= '' and text:find(pattern or '', 1, false) and text
  end)
end

function M.floats()
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_config(win).relative ~= ''
  end, api.nvim_list_wins())
end

--- Waits for a question and answers it: with the first item that matches, or nothing.
function M.choose(pattern)
  local question = M.wait('a question', function()
    return table.remove(asked, 1)
  end)
  for i, item in ipairs(question.items) do
    if pattern and item:find(pattern) then
      question.choose(i)
      return question
    end
  end
  M.truth(not pattern, ('an answer with %s in %s'):format(pattern, vim.inspect(question.items)))
  question.choose(nil)
  return question
end

--- Waits for a message to the user.
function M.told(pattern)
  return M.wait('the message ' .. pattern, function()
    for i, message in ipairs(told) do
      if message.text:find(pattern) then
        return table.remove(told, i)
      end
    end
  end)
end

function M.messages()
  return told
end

--- What the command line, and so the agent, sees.
function M.comments()
  return M.ahp('comments', '--markdown')
end

--- Errors of callbacks, which nobody who waits for an answer sees.
local function no_errors()
  local messages = vim.fn.execute('messages')
  vim.cmd('messages clear')
  if messages:find('lua/ahp/') then
    error(messages)
  end
end

local function clean()
  vim.cmd('stopinsert')
  vim.cmd('silent! tabonly! | silent! only!')
  M.wait('the servers to end', function()
    for _, client in ipairs(vim.lsp.get_clients()) do
      client:stop() -- one that was about to start, too
    end
    return #vim.lsp.get_clients() == 0
  end)
  vim.cmd('silent! %bwipeout!')
  vim.fn.setqflist({}, 'f')
  asked, told = {}, {}
  vim.fn.chdir(vim.env.HOME)
  if M.dir then
    vim.fn.delete(M.dir, 'rf')
    M.dir = nil
  end
end

--- Runs a file's tests, prints each, and leaves Neovim.
function M.run(file)
  -- Not in the command line that started this: a test's own keys and commands come in between.
  vim.schedule(function()
    local passed, failed = 0, 0
    local loaded, why = pcall(dofile, file)
    if not loaded then
      io.stdout:write('  FAIL ', why, '\n')
      failed = 1
    end
    for _, test in ipairs(tests) do
      local began = vim.uv.hrtime()
      local ok, trouble = xpcall(test.run, function(e)
        return debug.traceback(tostring(e), 2)
      end)
      if ok then
        ok, trouble = pcall(no_errors)
      end
      local cleaned, mess = pcall(clean)
      if ok and not cleaned then
        ok, trouble = false, mess
      end
      local ms = (vim.uv.hrtime() - began) / 1e6
      if ok then
        passed = passed + 1
        io.stdout:write(('  ok   %s (%.0f ms)\n'):format(test.name, ms))
      else
        failed = failed + 1
        io.stdout:write(('  FAIL %s (%.0f ms)\n%s\n'):format(test.name, ms, trouble))
      end
    end
    io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
    io.stdout:flush()
    vim.cmd(failed == 0 and 'qall!' or 'cquit!')
  end)
end

return M
