-- The language server, for vim.lsp.enable('ahp'). Whatever vim.lsp.config('ahp', {…}) says wins.

--- A handler that is loaded when it is needed: this file is read in every session.
local function handled_by(module, name)
  return function(...)
    return require(module)[name](...)
  end
end

return {
  cmd = { 'ahp-lsp', '--stdio' },
  -- no `filetypes`: agents change and comment on every kind of file
  root_dir = handled_by('ahp.root', 'find'),
  init_options = { notifications = true },
  -- Neovim can do it but does not say so: edits then name the version they were made for, and one
  -- that comes too late is refused.
  capabilities = { workspace = { workspaceEdit = { documentChanges = true } } },
  handlers = {
    ['ahp/threadsChanged'] = handled_by('ahp.events', 'threads_changed'),
    ['ahp/changesetsChanged'] = handled_by('ahp.events', 'changesets_changed'),
    ['ahp/statusChanged'] = handled_by('ahp.events', 'status_changed'),
    ['workspace/applyEdit'] = handled_by('ahp.edit', 'apply'),
  },
  -- What a code lens or a code action would otherwise ask for through a file.
  commands = {
    ['ahp.thread.show'] = handled_by('ahp.actions', 'show_thread'),
    ['ahp.before.show'] = handled_by('ahp.actions', 'show_before'),
    ['ahp.annotation.create'] = handled_by('ahp.actions', 'create'),
    ['ahp.annotation.reply'] = handled_by('ahp.actions', 'reply'),
    ['ahp.annotation.edit'] = handled_by('ahp.actions', 'edit'),
  },
}
