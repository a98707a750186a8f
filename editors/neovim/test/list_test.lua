local t = require('harness')
local sample = require('sample')
local api = vim.api

local function start()
  t.repository({ ['greet.go'] = sample.before, ['notes.md'] = '# Notes\n\none\ntwo\n', ['old.txt'] = 'x\n' })
  t.turn('Work.', { ['greet.go'] = sample.after, ['notes.md'] = '# Notes\n\none\nTWO\nthree\n', ['new.txt'] = 'fresh\n' })
  t.ahp('comment', 'notes.md:3', 'Only **one**?', '--agent')
  t.ahp('comment', 'greet.go:7', 'Why?', '--agent')
  local buf = t.open('greet.go')
  t.known(buf, 2, 1)
  t.wait('the comment on the closed file', function() return #require('ahp.events').mentioned(t.client()) == 2 end)
  return buf
end

local function shown(items)
  return vim.tbl_map(function(item)
    return ('%s:%d %s'):format(vim.fs.basename(api.nvim_buf_get_name(item.bufnr)), item.lnum, item.text)
  end, items)
end

local all = {
  'greet.go:7 agent: Why?',
  'greet.go:7 Uncommitted changes: line 7',
  'greet.go:18 Uncommitted changes: line 18',
  'new.txt:1 Uncommitted changes: +1 −0, new',
  'notes.md:3 agent: Only **one**?',
  'notes.md:4 Uncommitted changes: lines 4–5',
}

t.test('everything is in the quickfix list, of open and closed files', function()
  start()
  vim.cmd.AhpList()
  t.wait('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
  t.equal(all, shown(vim.fn.getqflist()))
  t.equal('Agent review', vim.fn.getqflist({ title = 0 }).title)
  t.equal('quickfix', vim.bo.buftype)
  t.equal({ 'W', 'N' }, vim.tbl_map(function(i) return vim.fn.getqflist()[i].type end, { 1, 2 }))
end)

t.test('a file alone is in the location list, comments or hunks alone by name', function()
  start()
  local win = api.nvim_get_current_win()
  vim.cmd('AhpList file')
  t.wait('the location list', function() return #vim.fn.getloclist(win) > 0 end)
  t.equal(vim.list_slice(all, 1, 3), shown(vim.fn.getloclist(win)))
  t.equal({}, vim.fn.getqflist())
  api.nvim_set_current_win(win)
  vim.cmd('AhpList comments')
  t.wait('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
  t.equal({ all[1], all[5] }, shown(vim.fn.getqflist()))
  vim.cmd('AhpList sideways')
  t.told('there is no :AhpList sideways')
end)

t.test('with ! it is a choice, which goes there', function()
  start()
  vim.cmd('AhpList!')
  local question = t.choose('^notes.md:4')
  t.equal(#all, #question.items)
  t.truth(api.nvim_buf_get_name(0):find('notes.md$'), 'the file')
  t.equal(4, api.nvim_win_get_cursor(0)[1])
end)

t.test('resolved comments are listed when they are asked for', function()
  local buf = start()
  t.cursor(7)
  vim.cmd.AhpResolve()
  t.wait('it to be resolved', function() return require('ahp.review').get(buf).threads[1].resolved end)
  vim.cmd('AhpList comments')
  t.wait('the list', function() return #vim.fn.getqflist() == 1 end)
  vim.cmd('AhpList comments resolved')
  t.wait('the list', function() return #vim.fn.getqflist() == 2 end)
  t.equal('greet.go:7 agent: Why?  (resolved)', shown(vim.fn.getqflist())[1])
end)

t.test('with nothing to review it says so', function()
  t.repository({ ['a.txt'] = 'a\n' })
  t.open('a.txt')
  t.wait('the host', function()
    local status = require('ahp.status').get(t.client())
    return status and status.state == 'connected'
  end)
  vim.cmd.AhpList()
  t.told('nothing to review')
end)
