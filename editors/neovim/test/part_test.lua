-- Reverting lines gives back the text before, exactly those lines, and nothing else: for many pairs of
-- texts, with the hunks of the real server.

local t = require('harness')
local api = vim.api

local function lines_of(buf)
  return api.nvim_buf_get_lines(buf, 0, -1, false)
end

--- A text of numbered lines and one made from it by an agent: lines replaced, added and removed.
local function pair(random)
  local before, after, n = {}, {}, random(0, 12)
  for i = 1, n do
    before[i] = random(1, 6) == 1 and '' or ('line %d'):format(random(1, 40))
  end
  for _, line in ipairs(before) do
    local what = random(1, 5)
    if what == 1 then
      table.insert(after, line .. ' new')
    elseif what == 2 then
      table.insert(after, line)
      table.insert(after, random(1, 3) == 1 and '' or ('added %d'):format(random(1, 40)))
    elseif what > 3 then
      table.insert(after, line)
    end
  end
  return before, after
end

local function text(lines, eol)
  return #lines == 0 and '' or table.concat(lines, eol) .. eol
end

--- Opens each of many changed files and runs check(buf, before, after).
local function each(seed, eol, check)
  math.randomseed(seed)
  local old, new, names = {}, {}, {}
  for i = 1, 12 do
    local name = ('f%02d.txt'):format(i)
    local before, after = pair(math.random)
    -- An emptied file is one empty line to Neovim, and so edited to the server.
    if #after > 0 and not vim.deep_equal(before, after) then
      table.insert(names, name)
      old[name], new[name] = before, after
    end
  end
  t.repository(vim.tbl_map(function(lines) return text(lines, eol) end, old))
  t.turn('Work.', vim.tbl_map(function(lines) return text(lines, eol) end, new))
  for _, name in ipairs(names) do
    local buf = t.open(name)
    t.wait('the hunks of ' .. name, function() return #require('ahp.review').get(buf).hunks > 0 end)
    check(buf, #old[name] == 0 and { '' } or old[name], lines_of(buf))
    vim.cmd('bwipeout!')
  end
end

for seed = 1, 4 do
  local eol = seed % 2 == 0 and '\r\n' or '\n'
  t.test(('a whole file, a hunk, some lines, %d'):format(seed), function()
    each(seed, eol, function(buf, before, after)
      local about = vim.inspect({ before, after })
      vim.cmd('%AhpHunk revert')
      t.equal(before, lines_of(buf), about)
      t.keys('u')
      t.equal(after, lines_of(buf), about)

      -- The lines of a hunk are the hunk.
      for _, hunk in ipairs(vim.deepcopy(require('ahp.review').get(buf).hunks)) do
        if hunk.after ~= '' then
          local first, last = require('ahp.signs').lines(buf, hunk)
          t.cursor(first)
          vim.cmd('AhpHunk revert')
          local whole = lines_of(buf)
          t.keys('u')
          vim.cmd(('%d,%dAhpHunk revert'):format(first, last))
          local got = lines_of(buf)
          t.keys('u')
          -- Only the server knows of an only line that is empty.
          if #got > 1 or #whole > 1 then
            t.equal(whole, got, about .. hunk.title)
          end
        end
      end

      -- What is not selected stays.
      for _ = 1, 4 do
        local first = math.random(1, #after)
        local last = math.random(first, #after)
        vim.cmd(('silent! %d,%dAhpHunk revert'):format(first, last))
        local got = lines_of(buf)
        if not vim.deep_equal(got, after) then
          local behind = #after - last
          t.equal(vim.list_slice(after, 1, first - 1), vim.list_slice(got, 1, first - 1), about .. first .. ',' .. last)
          if #got >= behind then
            t.equal(vim.list_slice(after, last + 1), vim.list_slice(got, #got - behind + 1), about .. first .. ',' .. last)
          end
          t.keys('u')
        end
        t.equal(after, lines_of(buf), about .. first .. ',' .. last)
      end
    end)
  end)
end

t.test('lines removed at both ends of a file come back', function()
  t.repository({ ['a.txt'] = '1\n2\n3\n4\n5\n' })
  t.turn('Work.', { ['a.txt'] = '2\n3\n4\n' })
  local buf = t.open('a.txt')
  t.known(buf, 2)
  vim.cmd('%AhpHunk revert')
  t.equal('1\n2\n3\n4\n5\n', t.text(buf))
  t.keys('u')
  vim.cmd('1,2AhpHunk revert')
  t.equal('1\n2\n3\n4\n', t.text(buf))
end)
