-- A small window to write a text in. The text is gone from it only when the server has taken it: a
-- text that was refused stays, with the reason, and one that was given up is kept as a draft.

local api = vim.api
local draft = require('ahp.draft')
local float = require('ahp.float')
local M = {}

local open = {} -- key → { buf, win }
local count = 0

local function text_of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

local function say(win, text, group)
  if api.nvim_win_is_valid(win) then
    vim.wo[win][0].winbar = text and ('%#' .. group .. '#' .. text:gsub('\n', ' '):gsub('%%', '%%%%')) or ''
  end
end

local function show(view)
  view.win = float.open({
    buf = view.buf, width = math.min(72, vim.o.columns - 4), height = math.min(view.height, vim.o.lines - 4),
    title = ' ' .. view.title .. ' ',
    footer = float.footer({ { '<C-s>', 'send' }, { ':w', 'send' }, { 'q', 'close, keep the text' } }),
  })
end

local function close(view)
  if view.win and api.nvim_win_is_valid(view.win) then
    api.nvim_win_close(view.win, true)
  end
end

local function send(view)
  if view.sending then
    return
  end
  local text = text_of(view.buf)
  if vim.trim(text) == '' then
    return say(view.win, 'There is nothing to send yet.', 'AhpError')
  end
  view.sending = true
  say(view.win, 'Sending…', 'AhpKeys')
  view.send(text, function(reason)
    view.sending = false
    local valid = api.nvim_buf_is_valid(view.buf)
    if not reason then
      -- What was typed since is another text, and stays.
      if not valid or text_of(view.buf) == text then
        view.sent = true
        draft.set(view.key, nil)
        if valid then
          vim.bo[view.buf].modified = false
          close(view)
        end
      else
        say(view.win, nil)
      end
      return
    end
    if not valid then
      draft.set(view.key, text)
      M.open(view) -- the window was closed meanwhile
      view = open[view.key]
    end
    say(view.win, 'Not sent: ' .. reason, 'AhpError')
  end)
end

local function leave(view)
  open[view.key] = nil
  if view.sent or not api.nvim_buf_is_loaded(view.buf) then
    return
  end
  local text = text_of(view.buf)
  if text == view.text or vim.trim(text) == '' then
    return draft.set(view.key, nil) -- nothing of the user's
  end
  draft.set(view.key, text)
  if not view.sending then
    vim.notify('ahp: not sent; the text comes back when you open the window again')
  end
end

--- Opens the window. `spec`: key (of the draft), title, text (to begin with), and
--- send(text, done), which calls done(reason), nil if the text was taken.
function M.open(spec)
  local there = open[spec.key]
  if there and api.nvim_win_is_valid(there.win) then
    there.send = spec.send -- the newest place counts, and the title says so
    if float.border() ~= 'none' then
      api.nvim_win_set_config(there.win, { title = ' ' .. spec.title .. ' ' })
    end
    return api.nvim_set_current_win(there.win)
  end
  local kept = draft.get(spec.key)
  local text = kept or spec.text or ''
  local view = { key = spec.key, title = spec.title, send = spec.send, text = spec.text or '' }
  local lines = vim.split(text, '\n')
  view.height = math.max(5, math.min(#lines + 1, 12))
  count = count + 1
  view.buf = api.nvim_create_buf(false, false)
  api.nvim_buf_set_name(view.buf, ('ahp://text/%d'):format(count))
  api.nvim_buf_set_lines(view.buf, 0, -1, false, lines)
  local bo = vim.bo[view.buf]
  -- acwrite: :w sends, and Neovim does not leave over a text that was not sent.
  bo.buftype, bo.bufhidden, bo.swapfile, bo.buflisted = 'acwrite', 'wipe', false, false
  bo.filetype, bo.modified = 'markdown', kept ~= nil
  show(view)
  open[view.key] = view
  if kept then
    say(view.win, 'Your text from before; it was not sent.', 'AhpKeys')
  end
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = view.buf,
    callback = function()
      send(view)
    end,
  })
  local exit = api.nvim_create_autocmd('VimLeavePre', {
    callback = function()
      leave(view)
    end,
  })
  api.nvim_create_autocmd('BufWinLeave', {
    buffer = view.buf,
    once = true,
    callback = function()
      api.nvim_del_autocmd(exit)
      leave(view)
    end,
  })
  vim.keymap.set({ 'n', 'i' }, '<C-s>', function()
    send(view)
  end, { buffer = view.buf, desc = 'Send' })
  vim.keymap.set('n', 'q', function()
    close(view)
  end, { buffer = view.buf, nowait = true, desc = 'Close, keep as a draft' })
  api.nvim_win_set_cursor(view.win, { #lines, #lines[#lines] })
  vim.cmd.startinsert({ bang = true })
  -- A window that is left for another one must not leave that one in Insert mode.
  api.nvim_create_autocmd('WinLeave', {
    buffer = view.buf,
    callback = function()
      vim.cmd.stopinsert()
    end,
  })
end

return M
