-- A comment and its replies as lines of a window.

local M = {}

local states = {
  outdated = 'its code changed since',
  detached = 'its code is gone',
}

--- What is to be said about a thread besides its text: { text, highlight group } pairs.
local function header(thread)
  local parts = {}
  local function add(text, group)
    table.insert(parts, { text, group })
  end
  if thread.wholeFile then
    add('on the file', 'AhpThreadTitle')
  else
    local first, last = thread.range.start.line + 1, thread.range['end'].line + 1
    if thread.range['end'].character == 0 and last > first then
      last = last - 1
    end
    add(first == last and ('line %d'):format(first) or ('lines %d–%d'):format(first, last), 'AhpThreadTitle')
  end
  if thread.resolved then
    add('resolved', 'AhpThreadResolved')
  elseif thread.awaiting then
    add('not accepted yet', 'AhpThreadAwaiting')
  else
    add('open', 'AhpThreadState')
  end
  if thread.suggestion then
    add('suggests a change', 'AhpThreadState')
  end
  if states[thread.state] then
    add(states[thread.state], 'AhpThreadAwaiting')
  end
  if thread.turn and thread.turn ~= '' then
    add(thread.turn, 'AhpKeys')
  end
  return parts
end

--- Lays threads out. The answer has
---   lines   the text
---   marks   { row, from, to, group }: columns in bytes, rows from 0
---   rows    for each row from 0, { thread, entry } that is shown there; entry may be nil
---   regions { first, last } rows, the last exclusive, of Markdown
function M.layout(threads)
  local out = { lines = {}, marks = {}, rows = {}, regions = {} }
  local function add(line, thread, entry, group)
    table.insert(out.lines, line)
    out.rows[#out.lines - 1] = { thread = thread, entry = entry }
    if group then
      table.insert(out.marks, { #out.lines - 1, 0, #line, group })
    end
  end
  for i, thread in ipairs(threads) do
    if i > 1 then
      add('', threads[i - 1])
      add(('─'):rep(24), thread, nil, 'AhpRule')
    end
    local line, marks = '', {}
    for _, part in ipairs(header(thread)) do
      local from = line == '' and 0 or #line + #' · '
      line = (line == '' and '' or line .. ' · ') .. part[1]
      table.insert(marks, { #out.lines, from, #line, part[2] })
    end
    add(line, thread)
    vim.list_extend(out.marks, marks)
    if thread.original then
      for _, original in ipairs(vim.split(vim.trim(thread.original), '\n')) do
        add('│ ' .. original, thread, nil, 'AhpThreadOriginal')
      end
    end
    for _, entry in ipairs(thread.entries or {}) do
      add('', thread, entry)
      add(entry.author .. ':', thread, entry, 'AhpAuthor')
      local first = #out.lines
      for _, text in ipairs(vim.split(vim.trim(entry.text), '\n')) do
        add((text:gsub('\r$', '')), thread, entry)
      end
      if entry.markdown then
        table.insert(out.regions, { first, #out.lines })
      end
    end
  end
  return out
end

return M
