-- The help says everything that there is, and nothing that there is not.

local t = require('harness')
local api = vim.api

local help = table.concat(vim.fn.readfile(vim.fs.joinpath(vim.fs.dirname(api.nvim_get_runtime_file('plugin/ahp.lua', false)[1]), '../doc/ahp.txt')), '\n')

local function has(text)
  t.truth(help:find(text, 1, true), 'the help has ' .. text)
end

t.test('every command has a tag, and what it takes is there', function()
  local count = 0
  for name in pairs(api.nvim_get_commands({})) do
    if vim.startswith(name, 'Ahp') then
      has('*:' .. name .. '*')
      count = count + 1
    end
  end
  t.equal(9, count)
  for _, word in ipairs(require('ahp.hunk').subcommands) do
    t.truth(help:find('AhpHunk!? ' .. word), ':AhpHunk ' .. word)
  end
  for _, word in ipairs(require('ahp.list').words) do
    t.truth(help:find('\n +' .. word .. ' '), ':AhpList ' .. word)
  end
end)

t.test('every <Plug> mapping is there, and no other', function()
  for plug in help:gmatch('<Plug>%(Ahp%a+%)') do
    t.truth(vim.fn.maparg(plug, 'n') ~= '' or vim.fn.maparg(plug, 'x') ~= '', plug)
  end
  for _, map in ipairs(api.nvim_get_keymap('n')) do
    if vim.startswith(map.lhs, '<Plug>(Ahp') then
      has(map.lhs)
    end
  end
end)

t.test('the settings are the defaults', function()
  local shown = help:match("require%('ahp'%)%.setup%((%b{})%)")
  t.equal(require('ahp.config').defaults, assert(load('return ' .. shown))())
end)

t.test('every highlight group is there with its link', function()
  for group, link in pairs(require('ahp.highlight').groups) do
    if not group:find('Nr$') then
      t.truth(help:find('\n +' .. group .. ' +' .. link .. '%f[%W]'), group .. ' ' .. link)
    end
  end
end)

t.test('every key of a comment is there', function()
  local sample = require('sample')
  local buf = sample.start(t)
  t.ahp('comment', 'greet.go:7', 'Why?', '--agent')
  t.known(buf, 2, 1)
  t.cursor(7)
  vim.cmd.AhpThread()
  t.float('Why')
  for _, map in ipairs(api.nvim_buf_get_keymap(0, 'n')) do
    t.truth(map.lhs == '<Esc>' or help:find('\n +' .. map.lhs .. '  +'), map.lhs)
  end
end)
