-- The server as a client sees it: found for a buffer, asked without waiting.

local M = {}

--- The server attached to the buffer, nil if there is none.
function M.of(buf)
  return vim.lsp.get_clients({ name = 'ahp', bufnr = buf or 0 })[1]
end

--- The buffer's server, or the one of the current folder, or any: for what is about a workspace.
function M.any(buf)
  local found = M.of(buf)
  if found then
    return found
  end
  local all = vim.lsp.get_clients({ name = 'ahp' })
  for _, client in ipairs(all) do
    if client.root_dir and vim.fs.relpath(client.root_dir, vim.fn.getcwd()) then
      return client
    end
  end
  return all[1]
end

--- Like of() and any(), but says what is missing.
function M.need(buf, any)
  local client
  if any then
    client = M.any(buf)
  else
    client = M.of(buf)
  end
  if not client then
    M.tell('the server is not attached to this buffer; see :checkhealth ahp', vim.log.levels.WARN)
  end
  return client
end

function M.tell(text, level)
  require('ahp.message').tell(text, level)
end

--- Says where the user is, for as long as nothing else is said; not if they want no such messages
--- (the flag S of 'shortmess' is about the same of a search).
function M.hint(text)
  if not vim.o.shortmess:find('S') and vim.o.cmdheight > 0 then
    vim.api.nvim_echo({ { text } }, false, {})
  end
end

--- An answer without JSON's null, which is true in Lua.
local function without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == 'table' then
    for key, member in pairs(value) do
      value[key] = without_null(member)
    end
  end
  return value
end

--- Sends a request. `done(reason, result)` is called later; reason is nil if all went well.
function M.request(client, method, params, done, buf)
  local sent = client:request(method, params, function(err, result)
    done(err and (err.message or tostring(err)) or nil, without_null(result))
  end, buf)
  if not sent then
    vim.schedule(function()
      done('the server is not running')
    end)
  end
end

--- Runs a command of the server's. `done(reason, result)`: what was not done has a reason, which the
--- server has shown to the user already.
function M.command(client, command, argument, done)
  local params = { command = command, arguments = { argument or vim.empty_dict() } }
  M.request(client, 'workspace/executeCommand', params, function(reason, result)
    if not reason and type(result) == 'table' and result.ok == false then
      reason = result.reason or 'it was not done'
    elseif reason then
      M.tell(reason, vim.log.levels.ERROR)
    end
    if done then
      done(reason, result)
    end
  end)
end

-- How long, in milliseconds, keys that were typed already wait for the server.
M.limit = 1000

--- Runs start(done) and waits until done is called, so that the keys behind the one that asked act on
--- what came of it. What takes longer goes on in the background: `late()` is then true, and the answer
--- is false.
function M.await(start)
  local finished, left = false, false
  start(function()
    finished = true
  end, function()
    return left
  end)
  vim.wait(M.limit, function()
    return finished
  end, 5)
  left = true
  return finished
end

--- The URI of a buffer, as the server knows it.
function M.uri(buf)
  return vim.uri_from_bufnr(buf)
end

--- The loaded buffer of a URI that the client is attached to, nil if there is none. A look-up by
--- name would make buffers, and would take names for patterns.
function M.buffer(client, uri)
  for buf in pairs(client.attached_buffers) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.uri_from_bufnr(buf) == uri then
      return buf
    end
  end
end

--- Whole lines, counted from 1, as a range of the server's: up to the start of the next line, so that
--- an empty last one is in it.
function M.whole_lines(first, last)
  return { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } }
end

--- Lines, counted from 1, as a range of the server's for what is shown: without the last line's end.
function M.lines(client, buf, first, last)
  local text = vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1] or ''
  return {
    start = { line = first - 1, character = 0 },
    ['end'] = { line = last - 1, character = vim.str_utfindex(text, client.offset_encoding) },
  }
end

return M
