-- :AhpList: every comment and hunk, in the quickfix list, the location list or vim.ui.select.

local api = vim.api
local ask = require('ahp.client')
local M = {}

M.words = { 'file', 'select', 'comments', 'hunks', 'resolved' }

local diff = vim.text and vim.text.diff or vim.diff

-- With more changed files than this, each is one entry: they were generated.
local most_files = 100

local function first_line(text)
  return vim.split(vim.trim(text), '\n')[1]
end

local function comment_items(uri, threads, resolved)
  local items = {}
  for _, thread in ipairs(threads) do
    local entry = thread.entries[1]
    if entry and (resolved or not thread.resolved) then
      local last = thread.entries[#thread.entries]
      local text = ('%s: %s'):format(entry.author, first_line(entry.text))
      if last ~= entry then
        local count = #thread.entries - 1
        text = ('%s  (%d %s, last %s)'):format(text, count, count == 1 and 'reply' or 'replies', last.author)
      end
      if thread.resolved then
        text = text .. '  (resolved)'
      end
      table.insert(items, {
        filename = vim.uri_to_fname(uri),
        lnum = thread.wholeFile and 1 or thread.range.start.line + 1,
        col = 1,
        type = thread.awaiting and not thread.resolved and 'W' or 'I',
        text = text,
      })
    end
  end
  return items
end

local function hunk_text(label, kept, state)
  return ('%s%s%s'):format(label, kept and '  (kept)' or '', state == 'undone' and '  (reverted)' or state == 'edited' and '  (edited since)' or '')
end

--- The hunks of a file that is open.
local function open_items(buf, change)
  local items = {}
  for _, hunk in ipairs(change.hunks) do
    local first, last = require('ahp.signs').lines(buf, hunk)
    table.insert(items, {
      bufnr = buf, lnum = first, end_lnum = last, col = 1, type = 'N',
      text = hunk_text(('%s: %s'):format(change.label, hunk.title), hunk.kept, hunk.state),
    })
  end
  return items
end

local function whole_file(set, file)
  return {
    {
      filename = vim.uri_to_fname(file.uri), lnum = 1, col = 1, type = 'N',
      text = ('%s: +%d −%d%s'):format(set.label, file.added, file.removed, file.created and ', new' or file.deleted and ', deleted' or ''),
    },
  }
end

--- The hunks of a file that is not open, from both sides of its change.
local function closed_items(set, file, sides)
  if not sides or not sides.before or not sides.after then
    return whole_file(set, file)
  end
  local items = {}
  for _, change in ipairs(diff(sides.before, sides.after, { result_type = 'indices', algorithm = 'histogram' })) do
    local line, lines = change[3], change[4]
    local first = math.max(1, lines == 0 and line + 1 or line)
    local last = math.max(first, line + lines - 1)
    table.insert(items, {
      filename = vim.uri_to_fname(file.uri), lnum = first, col = 1, type = 'N',
      text = ('%s: %s'):format(set.label, first == last and ('line %d'):format(first) or ('lines %d–%d'):format(first, last)),
    })
  end
  return items
end

--- Collects answers of any number of requests; `done` is called once all have come.
local function gather()
  local self = { left = 1, items = {}, reasons = {} }
  function self.one()
    self.left = self.left - 1
    if self.left == 0 then
      self.done()
    end
  end
  function self.ask(client, method, params, use)
    self.left = self.left + 1
    ask.request(client, method, params, function(reason, result)
      if reason then
        table.insert(self.reasons, reason)
      elseif result then
        vim.list_extend(self.items, use(result) or {})
      end
      self.one()
    end)
  end
  return self
end

local function in_order(items)
  local function name(item)
    return item.filename or api.nvim_buf_get_name(item.bufnr)
  end
  table.sort(items, function(a, b)
    local left, right = name(a), name(b)
    if left ~= right then
      return left < right
    elseif a.lnum ~= b.lnum then
      return a.lnum < b.lnum
    elseif a.type ~= b.type then
      return a.type > b.type -- comments before hunks
    end
    return a.text < b.text
  end)
end

--- Calls done(items), as setqflist() takes them. `want` has comments, hunks, resolved and, for one
--- file alone, uri.
function M.items(client, want, done)
  require('ahp.changesets').load(client, function(reason, sets)
    if reason then
      return ask.tell(reason, vim.log.levels.ERROR)
    end
    local all, uris = gather(), {}
    all.done = function()
      if #all.reasons > 0 then
        ask.tell(all.reasons[1], vim.log.levels.WARN)
      end
      in_order(all.items)
      done(all.items)
    end
    for _, uri in ipairs(require('ahp.events').mentioned(client)) do
      uris[uri] = true
    end
    for buf in pairs(client.attached_buffers) do
      uris[ask.uri(buf)] = true
    end
    local files, several = 0, 0
    for _, set in ipairs(sets) do
      several = several + #set.files
    end
    for _, set in ipairs(sets) do
      for _, file in ipairs(set.files) do
        uris[file.uri] = true
        if set.shown and want.hunks and (not want.uri or want.uri == file.uri) and not ask.buffer(client, file.uri) then
          files = files + 1
          if file.created or file.deleted or several > most_files then
            vim.list_extend(all.items, whole_file(set, file))
          else
            all.ask(client, 'ahp/contents', { uri = file.uri, channel = set.channel }, function(sides)
              return closed_items(set, file, sides)
            end)
          end
        end
      end
    end
    for uri in pairs(uris) do
      if not want.uri or want.uri == uri then
        if want.comments then
          all.ask(client, 'ahp/threads', { uri = uri }, function(threads)
            return comment_items(uri, threads, want.resolved)
          end)
        end
        local buf = ask.buffer(client, uri)
        if want.hunks and buf then
          all.ask(client, 'ahp/hunks', { uri = uri }, function(change)
            return open_items(buf, change)
          end)
        end
      end
    end
    all.one()
  end)
end

local function select(items)
  vim.ui.select(items, {
    prompt = 'Agent review:',
    kind = 'ahp.item',
    format_item = function(item)
      local path = item.filename or api.nvim_buf_get_name(item.bufnr)
      return ('%s:%d  %s'):format(vim.fn.fnamemodify(path, ':~:.'), item.lnum, item.text)
    end,
  }, function(item)
    if item then
      vim.cmd.normal({ "m'", bang = true })
      vim.cmd.edit(vim.fn.fnameescape(item.filename or api.nvim_buf_get_name(item.bufnr)))
      api.nvim_win_set_cursor(0, { math.min(item.lnum, api.nvim_buf_line_count(0)), 0 })
    end
  end)
end

--- :AhpList[!] [file] [select] [comments] [hunks] [resolved]
function M.command(options)
  local words = {}
  for _, word in ipairs(options.fargs) do
    if not vim.list_contains(M.words, word) then
      return ask.tell(('there is no :AhpList %s; there are %s'):format(word, table.concat(M.words, ', ')), vim.log.levels.ERROR)
    end
    words[word] = true
  end
  local client = ask.need(0, not words.file)
  if not client then
    return
  end
  local both = not words.comments and not words.hunks
  local win = api.nvim_get_current_win()
  M.items(client, {
    comments = both or words.comments, hunks = both or words.hunks, resolved = words.resolved,
    uri = words.file and ask.uri(0) or nil,
  }, function(items)
    if #items == 0 then
      return ask.tell(words.file and 'there is nothing to review in this file' or 'there is nothing to review')
    end
    if options.bang or words.select then
      return select(items)
    end
    local what = { title = 'Agent review', items = items }
    if words.file then
      if api.nvim_win_is_valid(win) then
        vim.fn.setloclist(win, {}, ' ', what)
        api.nvim_win_call(win, vim.cmd.lopen)
      end
    else
      vim.fn.setqflist({}, ' ', what)
      vim.cmd('botright copen')
    end
  end)
end

return M
