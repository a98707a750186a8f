-- Reads a file again that the agent wrote: only into a buffer without changes of the user's, only
-- where 'autoread' allows it, and never while the user is typing.

local api = vim.api
local M = {}

-- How long, in milliseconds, to collect news before the disk is looked at once.
local patience = 30

local waiting = {} -- set of buffers
local seen = {} -- buffer → state of the file when its buffer was last compared with it

--- What tells one state of a file from another; nil if the buffer must not, or cannot, be read again.
local function on_disk(buf)
  if not api.nvim_buf_is_loaded(buf) or vim.bo[buf].modified or vim.bo[buf].buftype ~= '' then
    return nil
  end
  local autoread = vim.bo[buf].autoread
  if autoread == nil then -- it has no value of the buffer's own
    autoread = vim.go.autoread
  end
  -- A file that is gone stays in its buffer, as it is: there is nothing to be read.
  local stat = autoread and vim.uv.fs_stat(api.nvim_buf_get_name(buf))
  return stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino) or nil
end

--- Reads the file if it changed. A buffer that was opened while there was no file has nothing to
--- compare: Neovim would ask what to do (W13).
local function read(buf)
  if not vim.b[buf].ahp_new then
    return vim.cmd('checktime ' .. buf)
  end
  vim.b[buf].ahp_new = nil
  api.nvim_buf_call(buf, function()
    vim.cmd('silent edit')
  end)
end

-- Not in the middle of a command, a selection or a text, nor at a question.
local quiet_modes = { n = true, nt = true, t = true }

local function quiet()
  local mode = api.nvim_get_mode()
  return quiet_modes[mode.mode] and not mode.blocking and vim.fn.getcmdwintype() == '' and vim.fn.reg_executing() == ''
end

local scheduled = false

local function run()
  scheduled = false
  if not quiet() then
    return -- the autocommand of the plugin calls resume()
  end
  local now = waiting
  waiting = {}
  for buf in pairs(now) do
    local disk = on_disk(buf)
    if disk and disk ~= seen[buf] then
      seen[buf] = disk
      require('ahp.follow').around(buf, function()
        read(buf)
      end)
    end
  end
end

local function soon()
  if not scheduled then
    scheduled = true
    vim.defer_fn(run, patience)
  end
end

--- Looks at the disk for these buffers, as soon as that disturbs nobody.
function M.check(bufs)
  if not require('ahp.config').get().reload then
    return
  end
  for _, buf in ipairs(bufs) do
    waiting[buf] = true
  end
  soon()
end

--- Called when a mode is left.
function M.resume()
  if next(waiting) then
    soon()
  end
end

function M.forget(buf)
  waiting[buf], seen[buf] = nil, nil
end

return M
