-- Keys typed one behind the other act on what the one before has done: sequences of them, all sent at
-- once, against a model.

local t = require('harness')
local api = vim.api

local function repeated(prefix, n)
  local lines = {}
  for i = 1, n do
    lines[i] = ('%s line %d'):format(prefix, i)
  end
  return lines
end

local function joined(lines)
  return #lines == 0 and '' or table.concat(lines, '\n') .. '\n'
end

-- Unchanged lines around hunks of each kind: { before, after }.
local hunks = {
  { { 'one old' }, { 'one new' } },
  { {}, { 'two new', 'two newer' } },
  { { 'three old', 'three older', 'three oldest' }, { 'three new' } },
  { { 'four gone' }, {} },
  { { 'five old' }, { 'five new', 'five newer' } },
  { {}, { 'six new' } },
}

--- The lines of the file; a hunk is in it if shown(i).
local function text(shown)
  local lines = {}
  for i, hunk in ipairs(hunks) do
    vim.list_extend(lines, repeated('block ' .. i, 5))
    vim.list_extend(lines, hunk[shown(i) and 2 or 1])
  end
  return vim.list_extend(lines, repeated('end', 4))
end

local function start()
  t.repository({ ['a.txt'] = joined(text(function() return false end)) })
  t.turn('Work.', { ['a.txt'] = joined(text(function() return true end)) })
  local buf = t.open('a.txt')
  t.known(buf, #hunks)
  return buf
end

--- Where a hunk begins in some lines; for one of removed lines, at the line that follows.
local function place(lines, i)
  local first = hunks[i][2][1] or (i < #hunks and ('block %d line 1'):format(i + 1) or 'end line 1')
  for line, got in ipairs(lines) do
    if got == first then
      return line
    end
  end
end

-- The model: lines, cursor, which hunks are in, which are kept, and what `u` goes back to.
local Model = {}
Model.__index = Model

function Model.new()
  local in_ = {}
  for i = 1, #hunks do
    in_[i] = true
  end
  return setmetatable({ lines = text(function() return true end), cursor = 1, in_ = in_, kept = {}, undo = {} }, Model)
end

function Model:change(lines, hunk)
  table.insert(self.undo, { self.lines, hunk })
  self.lines = lines
end

function Model:jump(step, count)
  local starts, of = {}, {}
  for i = 1, #hunks do
    if self.in_[i] then
      table.insert(starts, place(self.lines, i))
      of[#starts] = i
    end
  end
  if #starts == 0 then
    return
  end
  local index = step > 0 and 0 or #starts + 1
  for i, line in ipairs(starts) do
    if step > 0 and line <= self.cursor then
      index = i
    elseif step < 0 and line >= self.cursor then
      index = i
      break
    end
  end
  index = (index + step * count - 1) % #starts + 1
  self.cursor = starts[index]
  return of[index]
end

function Model:revert(i)
  local lines, at = {}, place(self.lines, i)
  vim.list_extend(lines, self.lines, 1, at - 1)
  vim.list_extend(lines, hunks[i][1])
  vim.list_extend(lines, self.lines, at + #hunks[i][2])
  self:change(lines, i)
  self.in_[i] = nil
end

function Model:undone()
  local was = table.remove(self.undo)
  if was then
    self.lines = was[1]
    if was[2] then
      self.in_[was[2]] = true
    end
  end
end

local maps = { next = ']v', prev = '[v', revert = 'gR', keep = 'gK' }

local function map_keys()
  for name, plug in pairs({ next = 'HunkNext', prev = 'HunkPrev', revert = 'HunkRevert', keep = 'HunkKeep' }) do
    vim.keymap.set('n', maps[name], ('<Plug>(Ahp%s)'):format(plug), {})
  end
end

--- One step: keys, and what they do to the model.
local function step(model, random)
  local line = random(1, #model.lines)
  local what = random(1, 10)
  if what == 1 then
    model:undone()
    return 'u'
  elseif what == 2 then
    -- A line of the user's, above one that is not in the middle of a hunk.
    while not model.lines[line]:find('^block') do
      line = random(1, #model.lines)
    end
    local lines = vim.list_slice(model.lines)
    table.insert(lines, line + 1, 'mine')
    if place(lines, 1) and not model.lines[line]:find('line 5$') then
      model:change(lines)
      return line .. 'Gomine\27'
    end
    return ''
  end
  model.cursor = line
  local keys = line .. 'G'
  local go, count = random(0, 1) == 1, random(1, 3)
  local hunk = model:jump(go and 1 or -1, count)
  keys = keys .. (count > 1 and count or '') .. (go and maps.next or maps.prev)
  if not hunk then
    return keys
  elseif what <= 6 then
    model:revert(hunk)
    return keys .. maps.revert
  elseif what <= 8 then
    model.kept[hunk] = true
    return keys .. maps.keep
  end
  return keys
end

local function kept(buf)
  local found = {}
  for _, hunk in ipairs(require('ahp.review').get(buf).hunks) do
    for i, h in ipairs(hunks) do
      if hunk.before == joined(h[1]) and hunk.after == joined(h[2]) then
        found[i] = hunk.kept or nil
      end
    end
  end
  return found
end

for seed = 1, 12 do
  t.test('a sequence of keys does what it does one by one, ' .. seed, function()
    local buf = start()
    map_keys()
    math.randomseed(seed)
    local model, keys = Model.new(), {}
    for i = 1, 14 do
      keys[i] = step(model, math.random)
    end
    local all = table.concat(keys)
    t.keys(all)
    t.equal(model.lines, api.nvim_buf_get_lines(buf, 0, -1, false), all)
    t.equal(model.kept, kept(buf), all)
    t.equal({}, vim.tbl_filter(function(m) return m.level >= vim.log.levels.WARN end, t.messages()), all)
  end)
end

t.test('a macro reverts hunk by hunk', function()
  local buf = start()
  map_keys()
  t.cursor(1)
  vim.fn.setreg('a', ']vgR')
  t.keys('6@a')
  t.equal(text(function() return false end), api.nvim_buf_get_lines(buf, 0, -1, false))
end)

t.test('. repeats, and a count takes that many hunks', function()
  local buf = start()
  map_keys()
  t.cursor(1)
  t.keys(']vgR]v.')
  t.equal(text(function(i) return i > 2 end), api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys('u')
  t.equal(text(function(i) return i > 1 end), api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys('gg]v3gR')
  t.equal(text(function(i) return i > 4 end), api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys('u')
  t.equal(text(function(i) return i > 1 end), api.nvim_buf_get_lines(buf, 0, -1, false), 'one change for u')
  t.keys('gg]v2gK')
  t.equal({ [2] = true, [3] = true }, kept(buf))
end)

t.test('with advance, a key is enough for each hunk', function()
  local buf = start()
  map_keys()
  require('ahp').setup({ advance = true })
  t.cursor(1)
  t.keys(']vgKgRgKgRgK')
  t.equal(text(function(i) return i ~= 2 and i ~= 4 end), api.nvim_buf_get_lines(buf, 0, -1, false))
  t.equal({ [1] = true, [3] = true, [5] = true }, kept(buf))
  t.equal(place(api.nvim_buf_get_lines(buf, 0, -1, false), 6), api.nvim_win_get_cursor(0)[1])
  require('ahp').setup({ advance = false })
end)

t.test('operators and the text object', function()
  local buf = start()
  map_keys()
  vim.keymap.set('n', 'zr', '<Plug>(AhpRevertOperator)')
  vim.keymap.set('n', 'zk', '<Plug>(AhpKeepOperator)')
  vim.keymap.set({ 'o', 'x' }, 'ih', '<Plug>(AhpHunkSelect)')
  t.cursor(1)
  t.keys('zrG')
  t.equal(text(function() return false end), api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys('u')
  t.keys('gg]v]vzrih')
  t.equal(text(function(i) return i ~= 2 end), api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys('ugg2]vyih')
  t.equal('two new\ntwo newer\n', vim.fn.getreg('"'))
  t.keys('vihy')
  t.equal('two new\ntwo newer\n', vim.fn.getreg('"'))
  t.keys('dih')
  t.equal(text(function(i) return i ~= 2 end), api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys(']v.') -- again, of another size
  local lines = text(function(i) return i ~= 2 end)
  table.remove(lines, place(lines, 3))
  t.equal(lines, api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys('uuggzkG')
  t.equal(6, #vim.tbl_keys(kept(buf)))
end)

t.test('a selection is reverted to the line', function()
  local buf = start()
  map_keys()
  vim.keymap.set('x', 'gR', '<Plug>(AhpHunkRevert)')
  -- The second added line alone.
  t.cursor(place(text(function() return true end), 2) + 1)
  t.keys('VgR')
  local lines = text(function() return true end)
  table.remove(lines, place(lines, 2) + 1)
  t.equal(lines, api.nvim_buf_get_lines(buf, 0, -1, false))
  t.keys('u')
  -- From the last line of one hunk to the first one of another, with those between.
  local first, last = place(text(function() return true end), 2) + 1, place(text(function() return true end), 5)
  t.keys(('%dGV%dGgR'):format(first, last))
  lines = text(function(i) return i < 3 or i > 4 end)
  table.remove(lines, place(lines, 2) + 1)
  lines[place(lines, 5)] = 'five old'
  t.equal(lines, api.nvim_buf_get_lines(buf, 0, -1, false))
end)

t.test('a selection that ends on an empty line takes that line, too', function()
  t.repository({ ['a.txt'] = '1\n2\n3\n' })
  t.turn('Work.', { ['a.txt'] = '1\n2\nnew\n\n3\n' })
  local buf = t.open('a.txt')
  t.known(buf, 1)
  vim.keymap.set('x', 'gR', '<Plug>(AhpHunkRevert)')
  t.cursor(3)
  t.keys('VjgR')
  t.equal('1\n2\n3\n', t.text(buf))
  t.keys('u4GVgR')
  t.equal('1\n2\nnew\n3\n', t.text(buf))
end)
