-- What the server and the plugin say to the user: one line that fits, so that nobody has to press Enter.
-- The whole text is in :AhpStatus, with what is worth no message.

local api = vim.api
local M = {}

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }
local groups = { [vim.log.levels.ERROR] = 'ErrorMsg', [vim.log.levels.WARN] = 'WarningMsg' }

-- How many messages :AhpStatus has.
local most = 20

-- How long, in milliseconds, a lost connection is no news: the embedded host of an editor that ends is
-- taken over by the next one.
M.outage = 5000

local kept = {} -- { time, text }, the newest last
local outages = {} -- client id → { level, text } of a message that waits

--- The newest messages: { time, text }, the newest last.
function M.all()
  return kept
end

--- Whether messages are Neovim's own, in the last line, and not those of a plugin with windows for them.
local function plain()
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or vim.startswith(source, '@vim/') -- built in; '?' where it was stripped
end

--- The beginning of a text that fits into the last line.
local function short(text)
  local line = vim.trim(text:gsub('%s*\n%s*', ' '))
  local room = math.max(20, vim.v.echospace)
  if api.nvim_strwidth(line) <= room then
    return line
  end
  local hint = ' … :AhpStatus'
  return vim.fn.strcharpart(line, 0, room - #hint) .. hint
end

local function keep(text)
  table.insert(kept, { time = os.date('%H:%M:%S'), text = text })
  if #kept > most then
    table.remove(kept, 1)
  end
end

local function say(text, level)
  if not plain() then
    return vim.notify(text, level)
  end
  if api.nvim_get_mode().mode:find('^[cr]') then -- in the command line, or at a question
    api.nvim_create_autocmd('ModeChanged', {
      once = true,
      callback = vim.schedule_wrap(function()
        say(text, level)
      end),
    })
    return
  end
  vim.cmd.redraw() -- a message below another one would ask for Enter
  api.nvim_echo({ { short(text), groups[level] } }, true, {})
end

--- Says something of the plugin's own.
function M.tell(text, level)
  keep('ahp: ' .. text)
  say('ahp: ' .. text, level or vim.log.levels.INFO)
end

--- What goes for the disk is said where it has to be done by hand. Here unmodified buffers are read
--- again without the user.
local function without_reload(text)
  local rest, found = text:gsub(' The buffer shows another text than the disk: reload it%.$', '')
  if found > 0 and require('ahp.config').get().reload and not vim.bo.modified then
    return rest
  end
  return text
end

--- The handler of window/showMessage. The server says who speaks; Neovim's own handler would repeat it.
function M.show(_, params, ctx)
  local text, level = without_reload(params.message), levels[params.type] or vim.log.levels.INFO
  keep(text)
  local id = ctx and ctx.client_id or 0
  if text:find('^ahp: no agent host found') then
    return -- true of every folder that is no repository
  elseif text:find('; trying again$') then
    local outage = { text = text, level = level }
    outages[id] = outage
    vim.defer_fn(function()
      if outages[id] == outage then
        outages[id] = nil
        say(text, level)
      end
    end, M.outage)
  elseif outages[id] and text:find('^ahp: connected to ') then
    outages[id] = nil
  else
    say(text, level)
  end
end

--- Called when a server has ended: its lost connection is no longer news.
function M.forget(client_id)
  outages[client_id] = nil
end

return M
