-- Review what agents do: commands, <Plug> mappings, and the server in every file. See :help ahp.
-- Everything else is loaded on first use.

if vim.g.loaded_ahp then
  return
end
vim.g.loaded_ahp = 1
if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('ahp: Neovim 0.11 or newer is needed', vim.log.levels.WARN)
  return
end

local api = vim.api

local function command(name, run, options)
  api.nvim_create_user_command(name, run, options)
end

local function words(list)
  return function(lead)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, list())
  end
end

command('AhpThread', function()
  require('ahp.thread').show()
end, { desc = 'Show the comments on this line' })
command('AhpComment', function(o)
  require('ahp.comment').command(o)
end, { nargs = '*', range = true, bang = true, desc = 'Comment on these lines, or with ! on the file' })
command('AhpReply', function(o)
  require('ahp.comment').reply(o)
end, { nargs = '*', desc = 'Reply to the comment on this line' })
command('AhpResolve', function(o)
  require('ahp.comment').resolve(o)
end, { bang = true, desc = 'Resolve the comment on this line, or with ! reopen it' })
command('AhpHunk', function(o)
  require('ahp.hunk').command(o)
end, {
  nargs = 1, range = true, bang = true, desc = "Go to the agent's hunks, and act on them",
  complete = words(function() return require('ahp.hunk').subcommands end),
})
command('AhpDiff', function(o)
  require('ahp.diff').command(o)
end, {
  nargs = '*', bang = true, desc = "Show this file next to its text before the agent's change",
  complete = function(lead) return require('ahp.diff').complete(lead) end,
})
command('AhpList', function(o)
  require('ahp.list').command(o)
end, {
  nargs = '*', bang = true, desc = 'List all comments and hunks',
  complete = words(function() return require('ahp.list').words end),
})
command('AhpSession', function()
  require('ahp.status').session()
end, { desc = 'Choose the agent session to review' })
command('AhpStatus', function()
  require('ahp.status').show()
end, { desc = 'Show what the server is connected to' })

local function plug(modes, name, run)
  vim.keymap.set(modes, '<Plug>(Ahp' .. name .. ')', run, { desc = 'ahp: ' .. name })
end

plug('n', 'Thread', '<Cmd>AhpThread<CR>')
plug('n', 'Comment', '<Cmd>AhpComment<CR>')
plug('x', 'Comment', function() require('ahp.comment').selection() end)
plug('n', 'Reply', '<Cmd>AhpReply<CR>')
plug('n', 'Resolve', '<Cmd>AhpResolve<CR>')
plug('n', 'HunkNext', function() require('ahp.hunk').next(vim.v.count1) end)
plug('n', 'HunkPrev', function() require('ahp.hunk').prev(vim.v.count1) end)
--- A mapping for operatorfunc, which `.` repeats.
local function operator(modes, name, what)
  vim.keymap.set(modes, '<Plug>(Ahp' .. name .. ')', function()
    return require('ahp.operator')[what]()
  end, { expr = true, desc = 'ahp: ' .. name })
end

operator('n', 'HunkRevert', 'revert_here')
operator('x', 'HunkRevert', 'revert')
operator('n', 'HunkKeep', 'keep_here')
operator('x', 'HunkKeep', 'keep')
operator('n', 'RevertOperator', 'revert')
operator('n', 'KeepOperator', 'keep')
plug({ 'o', 'x' }, 'HunkSelect', "<Cmd>lua require('ahp.operator').select()<CR>")
plug('n', 'HunkBefore', '<Cmd>AhpHunk before<CR>')
plug('n', 'Diff', '<Cmd>AhpDiff<CR>')
plug('n', 'List', '<Cmd>AhpList<CR>')
plug('n', 'Session', '<Cmd>AhpSession<CR>')
plug('n', 'Status', '<Cmd>AhpStatus<CR>')

require('ahp.highlight').define()

local group = api.nvim_create_augroup('ahp', {})
api.nvim_create_autocmd('ColorScheme', {
  group = group,
  callback = function() require('ahp.highlight').define() end,
})
api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'ahp' then
      require('ahp.attach').attached(client, event.buf)
    end
  end,
})
api.nvim_create_autocmd('LspDetach', {
  group = group,
  callback = function(event)
    if package.loaded['ahp.attach'] then
      require('ahp.attach').detached(event.data.client_id, event.buf)
    end
  end,
})
api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  group = group,
  callback = function(event)
    local buf = event.buf
    vim.b[buf].ahp_reads = (vim.b[buf].ahp_reads or 0) + 1
    vim.b[buf].ahp_new = event.event == 'BufNewFile' or nil
    vim.schedule(function() -- when Neovim has found its type
      if api.nvim_buf_is_loaded(buf) then
        require('ahp.attach').opened(buf)
      end
    end)
  end,
})
api.nvim_create_autocmd('BufWritePost', {
  group = group,
  callback = function(event)
    vim.b[event.buf].ahp_new = nil
  end,
})
-- Files that the agent wrote while the user was typing are read after that.
api.nvim_create_autocmd({ 'ModeChanged', 'CmdwinLeave' }, {
  group = group,
  callback = function()
    if package.loaded['ahp.reload'] then
      require('ahp.reload').resume()
    end
  end,
})

-- Not before a file is opened: loading all of Neovim's LSP takes longer than the rest of a start.
local function enable()
  if require('ahp.config').get().enable then
    vim.lsp.enable('ahp')
  end
end
if vim.v.vim_did_enter == 1 then
  enable()
else
  api.nvim_create_autocmd({ 'BufReadPre', 'BufNewFile', 'StdinReadPre' }, { group = group, once = true, callback = enable })
end
