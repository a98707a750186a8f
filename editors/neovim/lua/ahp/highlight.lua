-- Highlight groups. Each is a default link to a standard one: a colour scheme or the user can set it.

local M = {}

M.groups = {
  AhpHunkAdd = 'Added',
  AhpHunkChange = 'Changed',
  AhpHunkDelete = 'Removed',
  AhpHunkKept = 'NonText',
  AhpHunkProposed = 'DiagnosticInfo',
  AhpHunkAddNr = 'AhpHunkAdd',
  AhpHunkChangeNr = 'AhpHunkChange',
  AhpHunkDeleteNr = 'AhpHunkDelete',
  AhpHunkKeptNr = 'AhpHunkKept',
  AhpHunkProposedNr = 'AhpHunkProposed',
  AhpThreadTitle = 'Title',
  AhpThreadState = 'DiagnosticInfo',
  AhpThreadAwaiting = 'DiagnosticWarn',
  AhpThreadResolved = 'DiagnosticOk',
  AhpThreadOriginal = 'Comment',
  AhpAuthor = 'Identifier',
  AhpRule = 'FloatBorder',
  AhpKeys = 'Comment',
  AhpError = 'DiagnosticError',
}

function M.define()
  for group, link in pairs(M.groups) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
end

return M
