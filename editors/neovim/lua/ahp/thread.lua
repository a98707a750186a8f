-- The window of :AhpThread: whole comments, and keys to act on the one under the cursor.

local api = vim.api
local ask = require('ahp.client')
local float = require('ahp.float')
local M = {}

local namespace = api.nvim_create_namespace('ahp.thread')
local current -- the window that is open, if one is

--- Whether a thread is shown on a line, counted from 1.
function M.on(thread, line)
  if thread.wholeFile then
    return line == 1
  end
  local first, last = thread.range.start.line + 1, thread.range['end'].line + 1
  if thread.range['end'].character == 0 and last > first then
    last = last - 1
  end
  return first <= line and line <= last
end

local function identity(thread)
  return thread.session .. ' ' .. thread.annotation
end

local function argument(thread, more)
  return vim.tbl_extend('force', { session = thread.session, annotation = thread.annotation }, more or {})
end

--- Opens the window for a reply.
function M.reply(client, thread)
  require('ahp.input').open({
    key = 'reply ' .. identity(thread),
    title = 'Reply',
    send = function(text, done)
      ask.command(client, 'ahp.annotation.reply', argument(thread, { text = text }), done)
    end,
  })
end

--- Opens the window to change what a person wrote.
function M.edit(client, thread, entry)
  require('ahp.input').open({
    key = 'edit ' .. identity(thread) .. ' ' .. entry.id,
    title = 'Edit',
    text = entry.text,
    send = function(text, done)
      ask.command(client, 'ahp.annotation.edit', argument(thread, { entry = entry.id, text = text }), done)
    end,
  })
end

--- Resolves a thread, or reopens it.
function M.toggle(client, thread)
  ask.command(client, thread.resolved and 'ahp.annotation.reopen' or 'ahp.annotation.resolve', argument(thread))
end

local function keys_of(threads)
  local accept, suggest, open = false, false, false
  for _, thread in ipairs(threads) do
    open = open or not thread.resolved
    accept = accept or thread.canAccept and not thread.resolved
    suggest = suggest or thread.suggestion
  end
  local keys = { { 'r', 'reply' }, { 'x', open and 'resolve' or 'reopen' } }
  if accept then
    table.insert(keys, { 'a', 'accept' })
  end
  if suggest then
    table.insert(keys, { 's', 'apply' })
  end
  return vim.list_extend(keys, { { 'e', 'edit' }, { 'd', 'delete' }, { 'q', 'close' } })
end

local function highlight(view)
  local layout = view.layout
  api.nvim_buf_clear_namespace(view.buf, namespace, 0, -1)
  for _, mark in ipairs(layout.marks) do
    api.nvim_buf_set_extmark(view.buf, namespace, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
  -- Only what is Markdown is highlighted as such: signs in a plain text stay as they were written.
  local ok, parser = pcall(vim.treesitter.get_parser, view.buf, 'markdown')
  if not ok or not parser then
    return
  end
  local regions = {}
  for _, region in ipairs(layout.regions) do
    table.insert(regions, { { region[1], 0, region[2], 0 } })
  end
  if view.highlighter then
    view.highlighter:destroy()
    view.highlighter = nil
  end
  if #regions > 0 then
    parser:set_included_regions(regions)
    view.highlighter = vim.treesitter.highlighter.new(parser)
  end
end

local function close(view)
  if api.nvim_win_is_valid(view.win) then
    api.nvim_win_close(view.win, true)
  end
end

local function under_cursor(view)
  local row = api.nvim_win_get_cursor(view.win)[1] - 1
  local at = view.layout.rows[row] or {}
  return at.thread, at.entry
end

local function fill(view)
  view.layout = require('ahp.thread_text').layout(view.threads)
  vim.bo[view.buf].modifiable = true
  api.nvim_buf_set_lines(view.buf, 0, -1, false, view.layout.lines)
  vim.bo[view.buf].modifiable = false
end

local function dress(view)
  local width, height = float.size(view.layout.lines, 64)
  local title = #view.threads == 1 and ' Comment ' or (' %d comments '):format(#view.threads)
  if not view.win then
    view.win = float.open({ buf = view.buf, width = width, height = height, title = title, footer = float.footer(keys_of(view.threads)) })
    vim.wo[view.win][0].conceallevel, vim.wo[view.win][0].concealcursor = 2, 'nc'
  else
    local options = { width = width, height = height }
    if float.border() ~= 'none' then
      options.title, options.footer = title, float.footer(keys_of(view.threads))
    end
    api.nvim_win_set_config(view.win, options)
  end
  highlight(view)
end

--- Shows the threads as they are now; the window closes when none of them is left.
local function update(view)
  if current ~= view or not api.nvim_win_is_valid(view.win) then
    return
  end
  local by_id, left = {}, {}
  for _, thread in ipairs(require('ahp.review').get(view.source).threads) do
    by_id[identity(thread)] = thread
  end
  for _, thread in ipairs(view.threads) do
    table.insert(left, by_id[identity(thread)])
  end
  if #left == 0 then
    return close(view)
  end
  if vim.deep_equal(left, view.threads) then
    return
  end
  view.threads = left
  local at = api.nvim_win_get_cursor(view.win)
  fill(view)
  dress(view)
  api.nvim_win_set_cursor(view.win, { math.min(at[1], #view.layout.lines), at[2] })
end

local function map(view)
  local function on(key, what, action)
    vim.keymap.set('n', key, function()
      local thread, entry = under_cursor(view)
      local client = ask.need(view.source)
      if thread and client then
        action(client, thread, entry)
      end
    end, { buffer = view.buf, nowait = true, desc = what })
  end
  on('r', 'Reply', M.reply)
  on('x', 'Resolve or reopen', M.toggle)
  on('d', 'Delete', function(client, thread)
    ask.command(client, 'ahp.annotation.delete', argument(thread))
  end)
  on('a', 'Accept', function(client, thread)
    if not thread.canAccept then
      return ask.tell('there is nothing to accept in this comment')
    end
    ask.command(client, 'ahp.annotation.accept', argument(thread))
  end)
  on('s', 'Apply the suggested change', function(client, thread)
    if not thread.suggestion then
      return ask.tell('this comment suggests no change')
    end
    ask.command(client, 'ahp.suggestion.apply', argument(thread))
  end)
  on('e', 'Edit', function(client, thread, entry)
    if not entry and #thread.entries == 1 then
      entry = thread.entries[1]
    end
    if not entry or not entry.own then
      return ask.tell('only what a person wrote can be edited; put the cursor on it')
    end
    M.edit(client, thread, entry)
  end)
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, function()
      close(view)
    end, { buffer = view.buf, nowait = true, desc = 'Close' })
  end
end

--- Opens the window for threads of a buffer.
function M.open(source, threads)
  if current then
    close(current)
  end
  local view = { source = source, threads = threads, buf = float.buffer({}) }
  vim.b[view.buf].ahp_thread = true
  fill(view)
  dress(view)
  map(view)
  current = view
  local updates = api.nvim_create_autocmd('User', {
    pattern = 'AhpUpdate',
    callback = function(event)
      if event.data.buf == source then
        update(view)
      end
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    buffer = view.buf,
    once = true,
    callback = function()
      api.nvim_del_autocmd(updates)
      if current == view then
        current = nil
      end
    end,
  })
end

--- Asks for the threads on the cursor's line and hands them to `use`: open ones first.
function M.at_cursor(use)
  local buf, line = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1]
  if not ask.need(buf) then
    return
  end
  local function found()
    local open, resolved = {}, {}
    for _, thread in ipairs(require('ahp.review').get(buf).threads) do
      if M.on(thread, line) then
        table.insert(thread.resolved and resolved or open, thread)
      end
    end
    return vim.list_extend(open, resolved)
  end
  ask.await(function(done, late)
    require('ahp.review').load(buf, function(reason)
      done()
      if reason then
        ask.tell(reason, vim.log.levels.ERROR)
      elseif late() and api.nvim_get_current_buf() ~= buf then
        return -- the user has moved on
      elseif #found() == 0 then
        ask.tell('there is no comment on this line')
      else
        use(buf, found())
      end
    end)
  end)
end

--- Lets the user choose one of several threads.
function M.choose(threads, prompt, use)
  if #threads == 1 then
    return use(threads[1])
  end
  vim.ui.select(threads, {
    prompt = prompt,
    kind = 'ahp.thread',
    format_item = function(thread)
      local first = thread.entries[1]
      return (first and first.author .. ': ' .. vim.split(first.text, '\n')[1]) or thread.annotation
    end,
  }, function(thread)
    if thread then
      use(thread)
    end
  end)
end

--- :AhpThread
function M.show()
  M.at_cursor(M.open)
end

return M
