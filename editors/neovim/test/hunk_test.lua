local t = require('harness')
local sample = require('sample')
local api = vim.api

local function line() return api.nvim_win_get_cursor(0)[1] end

local function goes_to(want, command)
  vim.cmd(command)
  t.wait(('%s to go to line %d'):format(command, want), function() return line() == want end)
end

local function signs(buf)
  local found = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, require('ahp.signs').namespace, 0, -1, { details = true })) do
    found[mark[2] + 1] = mark[4].sign_hl_group
  end
  return found
end

t.test('next and prev go round, with a count and in the jump list', function()
  sample.start(t)
  t.cursor(1)
  goes_to(7, 'AhpHunk next')
  goes_to(18, 'AhpHunk next')
  goes_to(7, 'AhpHunk next')
  goes_to(18, 'AhpHunk prev')
  t.cursor(1)
  t.keys('2<Plug>(AhpHunkNext)')
  t.equal(18, line(), 'at once')
  vim.cmd('redraw')
  t.equal('hunk 2 of 2', t.row(vim.o.lines))
  t.keys('<C-o>')
  t.equal(1, line())
  vim.o.wrapscan = false
  t.cursor(18)
  vim.cmd('AhpHunk next')
  t.told('last hunk')
  t.cursor(1)
  t.keys('9<Plug>(AhpHunkNext)')
  t.equal(18, line(), 'as far as there are hunks')
  t.keys('9<Plug>(AhpHunkPrev)')
  t.equal(7, line())
  vim.o.wrapscan = true
end)

t.test('next and prev go on in the next changed file', function()
  sample.start(t, { ['aa.txt'] = 'one\ntwo\n', ['zz.txt'] = 'one\n', ['same.txt'] = 'x\n' })
  local starts = { ['greet.go'] = { 7, 18 }, ['aa.txt'] = { 2 }, ['zz.txt'] = { 1, 3 } }
  t.write('aa.txt', 'one\ntwo!\n')
  t.write('zz.txt', 'zero\none\ntwo\n')
  -- Each stop, in the order of the changeset.
  local function stops(most)
    return t.wait('the files', function()
      local found, reviewed = {}, {}
      for _, set in ipairs(require('ahp.changesets').get(t.client())) do
        for _, file in ipairs(set.files) do
          local name = vim.fs.basename(file.uri)
          reviewed[name] = reviewed[name] or file.reviewed
          for _, at in ipairs(set.shown and starts[name] or {}) do
            table.insert(found, { name, at })
          end
        end
      end
      found = vim.tbl_filter(function(stop) return not reviewed[stop[1]] end, found)
      return #found == most and found
    end)
  end
  local function here()
    return { vim.fs.basename(api.nvim_buf_get_name(0)), line() }
  end
  local function rounds(all)
    vim.cmd.edit(all[1][1])
    t.known(0, #starts[all[1][1]])
    t.cursor(all[1][2])
    for i = 1, #all + 1 do
      t.equal(all[(i - 1) % #all + 1], here())
      vim.cmd('redraw')
      t.truth(i == 1 or t.row(vim.o.lines):find('^hunk %d of %d'), 'it says where it is')
      t.keys('<Plug>(AhpHunkNext)')
    end
    for i = #all + 2, 1, -1 do
      t.equal(all[(i - 1) % #all + 1], here())
      t.keys('<Plug>(AhpHunkPrev)')
    end
  end
  local all = stops(5)
  rounds(all)
  vim.cmd.edit(all[1][1])
  t.cursor(all[1][2])
  t.keys('<Plug>(AhpHunkPrev)<C-o>')
  t.equal(all[1], here(), 'it is in the jump list')

  -- Where there is no way around, the last file is the last one.
  vim.o.wrapscan = false
  t.keys('<Plug>(AhpHunkPrev)')
  t.told('first hunk')
  t.equal(all[1], here())
  vim.o.wrapscan = true

  -- A file that was reviewed is left out.
  vim.cmd.edit('zz.txt')
  t.known(0, 2)
  vim.cmd('%AhpHunk keep')
  rounds(stops(3))

  vim.cmd.edit('aa.txt')
  require('ahp').setup({ files = false })
  t.keys('<Plug>(AhpHunkNext)<Plug>(AhpHunkNext)')
  t.equal({ 'aa.txt', 2 }, here())
  require('ahp').setup({ files = true })
end)

t.test('a status line says where the cursor is', function()
  sample.start(t)
  t.cursor(1)
  t.equal('0/2', require('ahp').position())
  t.keys('<Plug>(AhpHunkNext)')
  t.equal('1/2', require('ahp').position())
  t.cursor(20)
  t.equal('2/2', require('ahp').position())
  vim.cmd.enew()
  t.equal('', require('ahp').position())
end)

t.test('revert takes the hunk at the cursor back in the buffer, and u undoes it', function()
  local buf = sample.start(t)
  t.cursor(18)
  vim.cmd('AhpHunk revert')
  t.wait('the hunk to be reverted', function() return t.text(buf) == sample.after:gsub('%(i %+ 1%)', '(i)') end)
  t.equal(true, vim.bo.modified)
  t.equal(sample.after, t.read('greet.go'))
  t.keys('u')
  t.equal(sample.after, t.text(buf))
  t.cursor(1)
  vim.cmd('AhpHunk revert')
  t.told('no hunk on this line')
end)

t.test('revert of a range takes back every hunk in it', function()
  local buf = sample.start(t)
  vim.cmd('%AhpHunk revert')
  t.wait('both hunks to be reverted', function() return t.text(buf) == sample.before end)
end)

t.test('what the server has to say is said once', function()
  sample.start(t)
  vim.cmd('1AhpHunk revert')
  t.equal('ahp: cannot revert: there is no hunk on these lines', t.told('cannot revert').text)
  t.equal({}, t.messages())
end)

t.test('an edit that was made for an older text is refused', function()
  local buf = sample.start(t)
  local client = t.client()
  local stale = {
    documentChanges = { {
      textDocument = { uri = vim.uri_from_bufnr(buf), version = vim.lsp.util.buf_versions[buf] - 1 },
      edits = { { range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }, newText = 'x' } },
    } },
  }
  local answer = client.handlers['workspace/applyEdit'](nil, { edit = stale }, { client_id = client.id })
  t.equal(false, answer.applied)
  t.truth(answer.failureReason:find('edited meanwhile'), 'the reason')
  t.equal(sample.after, t.text(buf))
end)

t.test('keep marks a hunk as reviewed, and ! takes it back', function()
  local buf = sample.start(t)
  t.cursor(7)
  vim.cmd('AhpHunk keep')
  t.wait('the hunk to be kept', function() return require('ahp.review').get(buf).hunks[1].kept end)
  t.equal({ [7] = 'AhpHunkKept', [18] = 'AhpHunkChange' }, signs(buf))
  t.wait('the status line', function() return require('ahp').statusline() == 'ahp: 1/2 hunks' end)
  vim.cmd('AhpHunk! keep')
  t.wait('the hunk not to be kept', function() return not require('ahp.review').get(buf).hunks[1].kept end)
end)

t.test('before shows what was there', function()
  sample.start(t)
  t.cursor(7)
  vim.cmd('AhpHunk before')
  local text = t.float('return')
  t.equal('\treturn "Hello " + name\n', text)
  t.equal('go', vim.bo.filetype)
  t.keys('q')
  t.equal(0, #t.floats())
end)

t.test('signs say what kind of change it is, and stay out of the way of others', function()
  t.repository({ ['a.txt'] = '1\n2\n3\n4\n5\n6\n7\n8\n9\n' })
  t.turn('Work.', { ['a.txt'] = '1\nnew\n2\n3\nfour\n5\n6\n7\n9\n' })
  local buf = t.open('a.txt')
  t.known(buf, 3)
  t.equal({ [2] = 'AhpHunkAdd', [5] = 'AhpHunkChange', [8] = 'AhpHunkDelete' }, signs(buf))
  -- As gitsigns does, with its default priority.
  local other = api.nvim_create_namespace('test.other')
  api.nvim_buf_set_extmark(buf, other, 1, 0, { sign_text = 'G', priority = 6 })
  vim.o.signcolumn = 'yes:1'
  vim.cmd('redraw!')
  local row = vim.fn.screenpos(0, 2, 1).row
  t.equal('G', vim.fn.screenstring(row, 1))
  t.equal('┃', vim.fn.screenstring(vim.fn.screenpos(0, 5, 1).row, 1))
  require('ahp').setup({ signs = { enable = false } })
  t.equal({}, signs(buf))
  require('ahp').setup({ signs = { enable = true } })
  t.equal('AhpHunkAdd', signs(buf)[2])
  for group, link in pairs(require('ahp.highlight').groups) do
    t.equal(link, api.nvim_get_hl(0, { name = group }).link, group)
  end
  vim.o.signcolumn = 'auto'
end)

t.test('removed lines are marked where gitsigns marks them, on the edge between lines', function()
  t.repository({ ['a.txt'] = '0\n1\n2\n3\n4\n5\n6\n' })
  t.turn('Work.', { ['a.txt'] = '1\n2\n4\n5\n' })
  local buf = t.open('a.txt')
  t.known(buf, 3)
  local texts = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, require('ahp.signs').namespace, 0, -1, { details = true })) do
    texts[mark[2] + 1] = vim.trim(mark[4].sign_text)
  end
  t.equal({ [1] = '▔', [2] = '▁', [4] = '▁' }, texts)
  -- Keys work on both lines of the edge.
  for _, at in ipairs({ 2, 3 }) do
    t.cursor(at)
    vim.cmd('AhpHunk revert')
    t.equal('1\n2\n3\n4\n5\n', t.text(buf))
    t.keys('u')
  end
end)

t.test('completion knows the words', function()
  t.equal({ 'revert' }, vim.fn.getcompletion('AhpHunk re', 'cmdline'))
  t.equal({ 'file' }, vim.fn.getcompletion('AhpList fi', 'cmdline'))
  vim.cmd('AhpHunk nonsense')
  t.told('there is no :AhpHunk nonsense')
end)
