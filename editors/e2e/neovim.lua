-- Runs inside Neovim for the end-to-end tests: obeys the test over a socket and keeps the user's
-- prompts for it. One line of JSON each way:
--   to here   {"id":1,"code":"return vim.fn.line('.')"}       a Lua chunk
--             {"id":2,"code":"return x()","wait":20000}       again and again, until it returns something
--   from here {"id":1,"value":…} or {"id":1,"error":"…"}

local harness = { prompts = {}, messages = {} }
_G.harness = harness

-- Everything that asks the user something is kept, open, until the test answers. Otherwise the
-- defaults would wait for a key that nobody presses.
local function ask(kind, labels, prompt, answer)
  table.insert(harness.prompts, { kind = kind, prompt = prompt or '', items = labels, answer = answer })
end

function vim.ui.select(items, opts, on_choice)
  local labels = vim.tbl_map(opts.format_item or tostring, items)
  ask('select', labels, opts.prompt, function(index)
    on_choice(index and items[index], index)
  end)
end

function vim.ui.input(opts, on_confirm)
  ask('input', {}, opts.prompt, on_confirm)
end

function vim.ui.open(target)
  ask('open', { target }, '', function() end)
end

local notify = vim.notify
function vim.notify(message, level, opts)
  table.insert(harness.messages, { message = message, level = level or vim.log.levels.INFO })
  return notify(message, level, opts)
end

--- The oldest prompt that was not answered, without its callback.
function harness.open_prompt()
  for _, prompt in ipairs(harness.prompts) do
    if prompt.answer then
      return { kind = prompt.kind, prompt = prompt.prompt, items = prompt.items }
    end
  end
end

--- Answers that prompt: the index of an item, a text, or nil for a prompt that is dismissed.
function harness.answer(value)
  for _, prompt in ipairs(harness.prompts) do
    if prompt.answer then
      local answer = prompt.answer
      prompt.answer = nil
      answer(value)
      return true
    end
  end
  error('no prompt is open')
end

--- What a user would see, as text. It needs no terminal: Neovim draws into its own grid.
function harness.screen()
  vim.cmd('redraw!')
  local lines = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(row, column)
    end
    lines[row] = (table.concat(cells):gsub('%s+$', ''))
  end
  return table.concat(lines, '\n')
end

--- The text of the first floating window (a hover, an open diagnostic), if there is one.
function harness.float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end
  end
end

local function truthy(value)
  return value ~= nil and value ~= vim.NIL and value ~= false
end

local function run(request)
  local chunk = assert(load(request.code, '=test'))
  local value = chunk()
  if request.wait and not truthy(value) then
    vim.wait(request.wait, function()
      value = chunk()
      return truthy(value)
    end, 20)
    if not truthy(value) then
      error('not true within ' .. request.wait .. ' ms', 0)
    end
  end
  if value == nil then
    value = vim.NIL
  end
  return value
end

local pipe = assert(vim.uv.new_pipe())
pipe:connect(assert(vim.env.AHP_E2E_SOCKET), function(failed)
  assert(not failed, failed)
  local buffered = ''
  pipe:read_start(function(err, data)
    if err or not data then -- the test is over, or gone
      vim.schedule(function()
        vim.cmd('qall!')
      end)
      return
    end
    buffered = buffered .. data
    while true do
      local line, rest = buffered:match('^([^\n]*)\n(.*)$')
      if not line then
        return
      end
      buffered = rest
      vim.schedule(function()
        local request = vim.json.decode(line)
        local ok, value = xpcall(run, debug.traceback, request)
        local answer = { id = request.id }
        answer[ok and 'value' or 'error'] = value
        pipe:write(vim.json.encode(answer) .. '\n')
      end)
    end
  end)
end)

vim.o.columns, vim.o.lines = 120, 40
vim.o.swapfile = false
vim.o.number = true
vim.lsp.log.set_level('debug')
