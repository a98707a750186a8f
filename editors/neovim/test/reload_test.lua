local t = require('harness')
local sample = require('sample')
local api = vim.api

local changed = '// one\n// two\n' .. sample.after

local function follows(buf, text)
  t.wait('the file to be read again', function() return t.text(buf) == text end)
end

local function stale(buf)
  t.wait('the server to see the file on disk', function()
    local change = require('ahp.review').get(buf).change
    return change and (change.stale or #change.hunks ~= 2)
  end)
end

t.test('a clean buffer is read again, and the view stays on its text', function()
  local buf = sample.start(t)
  t.cursor(11)
  t.write('greet.go', changed)
  follows(buf, changed)
  t.equal(13, api.nvim_win_get_cursor(0)[1], 'the cursor is on the same text')
  t.known(buf, 3)
  t.equal(false, vim.bo[buf].modified)
  t.keys('u')
  t.equal(sample.after, t.text(buf), 'what was there before can be had')
end)

t.test('code lenses are above their lines afterwards', function()
  local buf = sample.start(t)
  local function lens_above(line)
    t.wait('the lens above line ' .. line, function()
      vim.cmd('redraw!')
      local row, cells = vim.fn.screenpos(0, line, 1).row - 1, {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      return table.concat(cells):find('Revert hunk (line ' .. line .. ',', 1, true)
    end)
  end
  lens_above(18)
  t.write('greet.go', changed)
  follows(buf, changed)
  lens_above(20)
end)

t.test('unsaved text is never touched, and nothing is asked', function()
  local buf = sample.start(t)
  api.nvim_buf_set_lines(buf, 0, 1, false, { 'package mine' })
  local mine = t.text(buf)
  t.write('greet.go', changed)
  stale(buf)
  t.equal(mine, t.text(buf))
  t.equal(true, vim.bo[buf].modified)
  t.equal({}, t.messages())
end)

t.test('nothing is read while the user is at something, and then it is', function()
  local buf = sample.start(t)
  t.cursor(11)
  t.keys('v2l')
  t.equal('v', vim.fn.mode())
  t.write('greet.go', changed)
  stale(buf)
  t.equal(sample.after, t.text(buf))
  t.equal('v', vim.fn.mode())
  t.keys('<Esc>')
  follows(buf, changed)
end)

t.test("'noautoread' and the setting are obeyed", function()
  local buf = sample.start(t)
  vim.bo[buf].autoread = false
  t.write('greet.go', changed)
  stale(buf)
  t.equal(sample.after, t.text(buf))
  t.equal({}, t.messages())
  vim.bo[buf].autoread = true
  require('ahp').setup({ reload = false })
  require('ahp.reload').check({ buf })
  t.equal(sample.after, t.text(buf))
  require('ahp').setup({ reload = true })
  require('ahp.reload').check({ buf })
  follows(buf, changed)
end)

t.test('a buffer in the background, and one whose file is gone', function()
  t.repository({ ['a.txt'] = 'a\n', ['b.txt'] = 'b\n' })
  local a = t.open('a.txt')
  local b = t.open('b.txt')
  t.turn('Work.', { ['a.txt'] = 'A\n' })
  follows(a, 'A\n')
  t.sh('rm', 'b.txt')
  t.write('a.txt', 'AA\n')
  follows(a, 'AA\n')
  t.equal('b\n', t.text(b))
  t.equal({}, t.messages())
end)

t.test('lines are followed from one text to another', function()
  local line = require('ahp.follow').line
  local old = { 'a', 'b', 'c', 'd', 'e' }
  t.equal(3, line(old, old, 3))
  t.equal(4, line(old, { 'new', 'a', 'b', 'c', 'd', 'e' }, 3))
  t.equal(2, line(old, { 'b', 'c', 'd', 'e' }, 3))
  t.equal(2, line(old, { 'a', 'b', 'X', 'd', 'e' }, 2))
  t.equal(3, line(old, { 'a', 'b', 'X', 'd', 'e' }, 3))
  t.equal(3, line(old, { 'a', 'b', 'd', 'e' }, 3), 'a line that is gone is where the next one is')
  t.equal(1, line(old, { '' }, 5))
end)
