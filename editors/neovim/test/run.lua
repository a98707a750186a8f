-- Runs each file of tests in a Neovim of its own, with a home folder of its own; see run.sh.

local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
local work = assert(vim.env.AHP_TEST_DIR, 'start test/run.sh')

local files = {}
for i = 1, #_G.arg do
  table.insert(files, vim.fs.abspath(_G.arg[i]))
end
if #files == 0 then
  files = vim.fn.sort(vim.fn.glob(here .. '/*_test.lua', true, true))
end

local passed, failed = 0, 0
for i, file in ipairs(files) do
  local home = ('%s/%d'):format(work, i)
  vim.fn.mkdir(home .. '/run', 'p', '0700')
  io.write(vim.fs.basename(file), '\n')
  local result = vim.system({
    vim.v.progpath, '--headless', '--clean', '-n',
    '--cmd', ('lua vim.opt.rtp:prepend(%q)'):format(vim.fs.dirname(here)),
    '--cmd', ('lua package.path = %q .. package.path'):format(here .. '/?.lua;'),
    '--cmd', 'lua require("harness").configure()',
    '-c', ('lua require("harness").run(%q)'):format(file),
  }, {
    cwd = home,
    env = {
      HOME = home, XDG_RUNTIME_DIR = home .. '/run', XDG_CONFIG_HOME = home, XDG_DATA_HOME = home,
      XDG_STATE_HOME = home, XDG_CACHE_HOME = home, LANG = 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM = '1', GIT_CEILING_DIRECTORIES = work,
      GIT_AUTHOR_NAME = 'Test', GIT_AUTHOR_EMAIL = 'test@example.invalid',
      GIT_COMMITTER_NAME = 'Test', GIT_COMMITTER_EMAIL = 'test@example.invalid',
    },
    text = true,
    timeout = 300000,
  }):wait()
  local output, p, f = result.stdout:match('^(.-)(%d+) passed, (%d+) failed%s*$')
  io.write(output or result.stdout)
  passed, failed = passed + (tonumber(p) or 0), failed + (tonumber(f) or 0)
  if not p or (result.code ~= 0 and f == '0') then
    failed = failed + 1
    io.write('  FAIL ', vim.fs.basename(file), ' ended with ', result.code, '\n', result.stderr, '\n')
  end
end
io.write(('%d passed, %d failed\n'):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
