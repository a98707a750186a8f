-- :AhpComment, :AhpReply and :AhpResolve.

local api = vim.api
local ask = require('ahp.client')
local thread = require('ahp.thread')
local M = {}

local namespace = api.nvim_create_namespace('ahp.comment')

--- How often a buffer was read from the disk, after which marks in it say nothing.
local function reads(buf)
  return vim.b[buf].ahp_reads or 0
end

--- A place in a buffer that is found again when the comment is sent: the user may edit meanwhile, and
--- the agent may write the file.
local function remember(client, buf, range)
  local all, encoding = api.nvim_buf_get_lines(buf, 0, -1, false), client.offset_encoding
  local first, last = range.start, range['end']
  local function column(position)
    return vim.str_byteindex(all[position.line + 1] or '', encoding, position.character, false)
  end
  local mark = api.nvim_buf_set_extmark(buf, namespace, first.line, column(first), {
    end_row = last.line, end_col = column(last), right_gravity = false, end_right_gravity = false,
  })
  return { buf = buf, mark = mark, all = all, range = range, encoding = encoding, reads = reads(buf) }
end

--- Where the user's edits have moved the place to, nil if they removed it.
local function follow_mark(place)
  local mark = api.nvim_buf_get_extmark_by_id(place.buf, namespace, place.mark, { details = true })
  local was = place.range
  local empty = was.start.line == was['end'].line and was.start.character == was['end'].character
  if #mark == 0 or not empty and mark[1] == mark[3].end_row and mark[2] == mark[3].end_col then
    return nil
  end
  local function position(row, col)
    local line = api.nvim_buf_get_lines(place.buf, row, row + 1, false)[1] or ''
    return { line = row, character = vim.str_utfindex(line, place.encoding, math.min(col, #line), false) }
  end
  return { start = position(mark[1], mark[2]), ['end'] = position(mark[3].end_row, mark[3].end_col) }
end

--- Where the lines of the place are in a text that was read again, nil if they are not there, or are
--- there more than once and nothing says which is meant.
local function follow_text(place)
  local now = api.nvim_buf_get_lines(place.buf, 0, -1, false)
  local first, last = place.range.start.line, place.range['end'].line
  local function stands(at)
    for i = 0, last - first do
      if now[at + i + 1] ~= place.all[first + i + 1] then
        return false
      end
    end
    return true
  end
  local at = require('ahp.follow').line(place.all, now, first + 1) - 1
  if not stands(at) then
    at = nil
    for candidate = 0, #now - (last - first) - 1 do
      if stands(candidate) then
        if at then
          return nil
        end
        at = candidate
      end
    end
  end
  if at then
    local range = vim.deepcopy(place.range)
    range.start.line, range['end'].line = at, at + last - first
    return range
  end
end

local function find(place)
  return (place.reads == reads(place.buf) and follow_mark or follow_text)(place)
end

--- Sends a comment; range is nil for one on the file.
local function send(client, buf, place, text, done)
  if not api.nvim_buf_is_loaded(buf) then
    return done('the file is no longer open')
  end
  if client:is_stopped() then
    client = ask.of(buf)
    if not client then
      return done('the server is not running; see :checkhealth ahp')
    end
  end
  local argument = { uri = ask.uri(buf), text = text }
  if place then
    argument.range = find(place)
    if not argument.range then
      return done('the lines it is about are gone; close this window and comment on other lines')
    end
  end
  ask.command(client, 'ahp.annotation.create', argument, function(reason, result)
    if not reason and place then
      api.nvim_buf_del_extmark(buf, namespace, place.mark)
    end
    done(reason, result)
  end)
end

--- Comments on a range of the server's, or on the file if it is nil; asks where there is no text.
function M.create(buf, range, text)
  local client = ask.need(buf)
  if not client then
    return
  end
  local place = range and remember(client, buf, range)
  if text and vim.trim(text) ~= '' then
    return send(client, buf, place, text, function(reason)
      if reason then -- the text was typed: keep it
        require('ahp.draft').set('comment ' .. ask.uri(buf), text)
      end
    end)
  end
  local name, title = vim.fs.basename(api.nvim_buf_get_name(buf)), 'Comment on '
  if range then
    local first, last = range.start.line + 1, range['end'].line + 1
    title = title .. name .. (first == last and (':%d'):format(first) or (':%d-%d'):format(first, last))
  else
    title = title .. 'the file ' .. name
  end
  require('ahp.input').open({
    key = 'comment ' .. ask.uri(buf),
    title = title,
    send = function(written, done)
      send(client, buf, place, written, done)
    end,
  })
end

--- :[range]AhpComment [text]; with ! on the file.
function M.command(options)
  local buf = api.nvim_get_current_buf()
  local client = ask.need(buf)
  if client then
    local range = not options.bang and ask.lines(client, buf, options.line1, options.line2) or nil
    M.create(buf, range, options.args)
  end
end

--- Comments on the selection, to the character; for a mapping of Visual mode.
function M.selection()
  local buf = api.nvim_get_current_buf()
  local client = ask.need(buf)
  if not client then
    return
  end
  local mode, from, to = vim.fn.mode(), vim.fn.getpos('v'), vim.fn.getpos('.')
  if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
    from, to = to, from
  end
  vim.cmd.normal({ vim.keycode('<Esc>'), bang = true })
  local range = ask.lines(client, buf, from[2], to[2])
  if mode == 'v' then
    local function index(line, column)
      local text = api.nvim_buf_get_lines(buf, line - 1, line, false)[1] or ''
      return vim.str_utfindex(text, client.offset_encoding, math.max(0, math.min(column, #text)), false)
    end
    local last = api.nvim_buf_get_lines(buf, to[2] - 1, to[2], false)[1] or ''
    local width = #vim.fn.matchstr(last:sub(to[3]), '.') -- of the last character, in bytes
    range.start.character = index(from[2], from[3] - 1)
    range['end'].character = index(to[2], to[3] - 1 + width)
  end
  M.create(buf, range)
end

local function open_ones(threads)
  return vim.tbl_filter(function(t)
    return not t.resolved
  end, threads)
end

--- :AhpReply [text]
function M.reply(options)
  thread.at_cursor(function(buf, found)
    local open = open_ones(found)
    thread.choose(#open > 0 and open or found, 'Reply to:', function(chosen)
      local client = ask.need(buf)
      if not client then
        return
      end
      if vim.trim(options.args) == '' then
        return thread.reply(client, chosen)
      end
      local argument = { session = chosen.session, annotation = chosen.annotation, text = options.args }
      ask.command(client, 'ahp.annotation.reply', argument, function(reason)
        if reason then
          require('ahp.draft').set('reply ' .. chosen.session .. ' ' .. chosen.annotation, options.args)
        end
      end)
    end)
  end)
end

--- :AhpResolve; with ! it reopens.
function M.resolve(options)
  thread.at_cursor(function(buf, found)
    local fit = vim.tbl_filter(function(t)
      return t.resolved == options.bang
    end, found)
    if #fit == 0 then
      return ask.tell(options.bang and 'no comment on this line is resolved' or 'the comments on this line are resolved')
    end
    thread.choose(fit, options.bang and 'Reopen:' or 'Resolve:', function(chosen)
      local client = ask.need(buf)
      if client then
        thread.toggle(client, chosen)
      end
    end)
  end)
end

return M
