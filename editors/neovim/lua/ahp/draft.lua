-- Texts that were begun and not sent. They outlive their window and the editor.

local M = {}

local drafts -- key → text

local function file()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'ahp', 'drafts.json')
end

local function load()
  if drafts then
    return drafts
  end
  drafts = {}
  local f = io.open(file(), 'r')
  if f then
    local ok, decoded = pcall(vim.json.decode, f:read('*a'))
    f:close()
    if ok and type(decoded) == 'table' then
      drafts = decoded
    end
  end
  return drafts
end

local function save()
  vim.fn.mkdir(vim.fs.dirname(file()), 'p', '0700')
  local f = io.open(file(), 'w')
  if f then
    f:write(vim.json.encode(next(drafts) and drafts or vim.empty_dict()))
    f:close()
  end
end

function M.get(key)
  return load()[key]
end

--- Keeps a text, or forgets it if there is nothing in it.
function M.set(key, text)
  if text and vim.trim(text) == '' then
    text = nil
  end
  if load()[key] ~= text then
    drafts[key] = text
    save()
  end
end

return M
