-- :AhpDiff: a file next to its text before the agent's change, in diff mode.

local api = vim.api
local ask = require('ahp.client')
local M = {}

local count = 0

--- A read-only buffer with one side of a change.
local function side(text, name, filetype)
  local buf = api.nvim_create_buf(false, true)
  local unix = text:gsub('\r\n', '\n')
  local lines = vim.split(unix, '\n')
  if lines[#lines] == '' and #lines > 1 then
    table.remove(lines)
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  count = count + 1
  api.nvim_buf_set_name(buf, ('ahp://%d/%s'):format(count, name))
  local bo = vim.bo[buf]
  bo.bufhidden, bo.modifiable = 'wipe', false
  bo.filetype = filetype
  return buf
end

--- Hides code lenses: they take lines of their own, which would shift those beside them. Returns what
--- shows them again.
local function without_lenses(buf)
  local lens, filter = vim.lsp.codelens, { bufnr = buf }
  if not lens.enable or not api.nvim_buf_is_loaded(buf) or #lens.get(filter) == 0 then
    return function() end
  end
  local all = lens.is_enabled(filter)
  if not all then
    -- One client's lenses are on in a buffer where they are off in general: to turn them off, they
    -- must be on in general first.
    lens.enable(true, filter)
  end
  lens.enable(false, filter)
  return function()
    local client = api.nvim_buf_is_loaded(buf) and ask.of(buf)
    if client then
      lens.enable(true, all and filter or { bufnr = buf, client_id = client.id })
    end
  end
end

local function split(layout)
  if layout == 'tab' then
    vim.cmd('tab split')
    vim.cmd('leftabove vertical split')
  elseif layout == 'horizontal' then
    vim.cmd('leftabove split')
  else
    vim.cmd('leftabove vertical split')
  end
  return api.nvim_get_current_win()
end

-- The view that is open, nil without one: { before, after } are its windows.
local current

--- Lets `q` close the view in one of its windows. Returns what gives the key back.
local function map_q(buf, win, close)
  local was = api.nvim_buf_call(buf, function()
    return vim.fn.maparg('q', 'n', false, true)
  end)
  vim.keymap.set('n', 'q', function()
    -- The user's own buffer may be shown elsewhere too, and a recording is ended with `q`.
    if api.nvim_get_current_win() == win and vim.fn.reg_recording() == '' then
      return close()
    end
    api.nvim_feedkeys('q', 'in', false)
  end, { buffer = buf, nowait = true, desc = 'Close the diff' })
  return function()
    if not api.nvim_buf_is_valid(buf) then
      return
    end
    pcall(vim.keymap.del, 'n', 'q', { buffer = buf })
    if was.buffer == 1 then
      api.nvim_buf_call(buf, function()
        vim.fn.mapset('n', false, was)
      end)
    end
  end
end

--- Opens both sides; `right` is the buffer on the right. `q` closes what was opened.
local function show(left, right, layout)
  if current then
    current.close()
  end
  local origin, view = api.nvim_get_current_win(), vim.fn.winsaveview()
  local before = split(layout)
  vim.cmd.wincmd('p')
  local after = api.nvim_get_current_win()
  if after == before then
    vim.cmd.wincmd('l')
    after = api.nvim_get_current_win()
  end
  local was = api.nvim_win_get_buf(after)
  api.nvim_win_set_buf(after, right)
  api.nvim_win_set_buf(before, left)
  for _, win in ipairs({ before, after }) do
    api.nvim_win_call(win, vim.cmd.diffthis)
  end
  local this = { before = before, after = after }
  local undo = { without_lenses(right) }
  function this.close()
    if current ~= this then
      return
    end
    current = nil
    for _, run in ipairs(undo) do
      run()
    end
    -- The cursor goes where the user has moved it in the file.
    local same = api.nvim_win_is_valid(after) and right == was and api.nvim_win_get_buf(after) == right
    local at = same and api.nvim_win_get_cursor(after)
    if api.nvim_win_is_valid(before) then
      api.nvim_win_close(before, true)
    end
    if api.nvim_win_is_valid(after) then
      if layout == 'tab' and #api.nvim_list_tabpages() > 1 then
        api.nvim_win_close(after, true)
      else
        api.nvim_win_call(after, vim.cmd.diffoff)
        if right ~= was and api.nvim_buf_is_valid(was) then
          api.nvim_win_set_buf(after, was)
        end
      end
    end
    if api.nvim_win_is_valid(origin) then
      api.nvim_set_current_win(origin)
      if at and api.nvim_win_get_buf(origin) == right then
        api.nvim_win_set_cursor(origin, at)
      end
    end
  end
  current = this
  table.insert(undo, map_q(left, before, this.close))
  table.insert(undo, map_q(right, after, this.close))
  api.nvim_create_autocmd('WinClosed', {
    pattern = { tostring(before), tostring(after) },
    once = true,
    callback = function()
      vim.schedule(this.close)
    end,
  })
  api.nvim_set_current_win(after)
  if right == was then
    vim.fn.winrestview(view)
  end
end

local function same(buf, text)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  return table.concat(lines, '\n') == text:gsub('\r\n', '\n'):gsub('\n$', '')
end

--- Opens both sides of a file's change, as the server has them. Without a channel the right one is the
--- buffer, whatever the user has made of it.
local function open(client, uri, channel, sides)
  local buf = ask.buffer(client, uri)
  local path = vim.uri_to_fname(uri)
  local filetype = buf and vim.bo[buf].filetype or vim.filetype.match({ filename = path }) or ''
  local name = vim.fs.basename(path)
  local right
  if buf and (not channel or sides.after and same(buf, sides.after)) then
    right = buf
  else
    right = side(sides.after or '', 'after/' .. name, filetype)
  end
  show(side(sides.before or '', 'before/' .. name, filetype), right, require('ahp.config').get().diff.layout)
end

--- Shows one file of a changeset; without a channel, of the one whose hunks are shown.
local function contents(client, uri, channel)
  local win = api.nvim_get_current_win()
  ask.await(function(done, late)
    ask.request(client, 'ahp/contents', { uri = uri, channel = channel }, function(reason, sides)
      done()
      if reason then
        ask.tell(reason, vim.log.levels.ERROR)
      elseif not sides then
        ask.tell('no agent has changed this file')
      elseif not late() or api.nvim_get_current_win() == win then
        open(client, uri, channel, sides)
      end
    end)
  end)
end

--- Shows a buffer's file next to its text before.
function M.file(buf)
  local client = ask.need(buf)
  if client then
    contents(client, ask.uri(buf))
  end
end

--- Of a chosen changeset, the current file if it is in it, or one that is chosen.
local function of_changeset(client, set, uri)
  for _, file in ipairs(set.files) do
    if file.uri == uri then
      return contents(client, uri, set.channel)
    end
  end
  if #set.files == 0 then
    local why = set.status == 'computing' and 'is still being computed' or 'has no files'
    return ask.tell(('%s %s'):format(set.label, why))
  end
  vim.ui.select(set.files, {
    prompt = set.label .. ':',
    kind = 'ahp.file',
    format_item = function(file)
      return ('%s  +%d −%d'):format(vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.'), file.added, file.removed)
    end,
  }, function(file)
    if file then
      contents(client, file.uri, set.channel)
    end
  end)
end

local function choose(sets, use)
  vim.ui.select(sets, {
    prompt = 'Changes to show:',
    kind = 'ahp.changeset',
    format_item = function(set)
      return ('%s (%d file%s)%s'):format(set.label, #set.files, #set.files == 1 and '' or 's', set.sessionTitle ~= '' and ', ' .. set.sessionTitle or '')
    end,
  }, function(set)
    if set then
      use(set)
    end
  end)
end

--- :AhpDiff [changeset]; with ! the changeset is chosen. Without either it closes what is open.
function M.command(options)
  local buf = api.nvim_get_current_buf()
  local wanted = vim.trim(options.args)
  if wanted == '' and not options.bang then
    if current then
      return current.close()
    end
    return M.file(buf)
  end
  local client = ask.need(buf, true)
  if not client then
    return
  end
  local changesets = require('ahp.changesets')
  changesets.load(client, function(reason, sets)
    if reason then
      return ask.tell(reason, vim.log.levels.ERROR)
    end
    local fit = vim.tbl_filter(function(set)
      return wanted == '' or changesets.name(set) == wanted or set.label == wanted
    end, sets)
    if #fit == 0 then
      return ask.tell(wanted ~= '' and ('there are no changes called %q'):format(wanted) or 'there are no changes of an agent')
    end
    local uri = ask.uri(buf)
    if #fit == 1 and wanted ~= '' then
      return of_changeset(client, fit[1], uri)
    end
    choose(fit, function(set)
      of_changeset(client, set, uri)
    end)
  end)
end

function M.complete(lead)
  local client = ask.any()
  local names = {}
  for _, set in ipairs(client and require('ahp.changesets').get(client) or {}) do
    local name = require('ahp.changesets').name(set)
    if vim.startswith(name, lead) and not vim.list_contains(names, name) then
      table.insert(names, name)
    end
  end
  return names
end

return M
