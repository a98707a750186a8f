-- From the last hunk of a file to the first one of the next: the files of the changes whose hunks are
-- shown, in the changeset's order, without those that are reviewed.

local api = vim.api
local ask = require('ahp.client')
local M = {}

--- The changed files that can be gone to from a file, and where in their order it is; it is among
--- them even if it is reviewed.
local function list(client, uri)
  local sets, reviewed = require('ahp.changesets').get(client), {}
  for _, set in ipairs(sets) do -- one of them has the flag, not always the one that is shown
    for _, file in ipairs(set.files) do
      reviewed[file.uri] = reviewed[file.uri] or file.reviewed
    end
  end
  local files, at = {}, nil
  for _, set in ipairs(sets) do
    for _, file in ipairs(set.shown and set.files or {}) do
      if file.uri == uri or not reviewed[file.uri] and not file.deleted then
        table.insert(files, file.uri)
        at = at or file.uri == uri and #files or nil
      end
    end
  end
  return files, at
end

--- Waits until the server is attached to a buffer, and calls done().
local function attached(buf, done, tries)
  if ask.of(buf) or tries == 0 or not api.nvim_buf_is_valid(buf) then
    return done()
  end
  vim.defer_fn(function()
    attached(buf, done, tries - 1)
  end, 10)
end

--- Goes to the first hunk of the next file, or, with a step of -1, to the last one of the file before.
--- Returns false if there is no such file; otherwise calls done() later.
function M.go(buf, step, done)
  local client = ask.of(buf)
  if not client or not require('ahp.config').get().files then
    return false
  end
  local files, at = list(client, ask.uri(buf))
  local index = at and at + step
  if not at or #files < 2 or not vim.o.wrapscan and not files[index] then
    return false
  end
  index = (index - 1) % #files + 1
  vim.cmd.normal({ "m'", bang = true })
  local went, why = pcall(vim.cmd.edit, vim.fn.fnameescape(vim.uri_to_fname(files[index])))
  if not went then
    ask.tell((why:gsub('^.-(E%d+:)', '%1')), vim.log.levels.ERROR) -- a buffer with changes, 'nohidden'
    done()
    return true
  end
  local there = api.nvim_get_current_buf()
  attached(there, function()
    require('ahp.review').load(there, function()
      local hunk = require('ahp.hunk')
      local starts = hunk.starts(there, require('ahp.review').get(there).hunks)
      if api.nvim_get_current_buf() == there and #starts > 0 then
        hunk.go(starts, step > 0 and 1 or #starts, (', file %d of %d'):format(index, #files))
      end
      done()
    end)
  end, 100)
  return true
end

return M
