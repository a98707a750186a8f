-- Edits that the server asks for: a reverted hunk, an applied suggestion.

local M = {}

--- The handler of workspace/applyEdit. An edit that was made for an older text is refused with a
--- reason, where Neovim's own would leave it out and answer that all is well.
function M.apply(_, params, ctx)
  for _, change in ipairs(params.edit.documentChanges or {}) do
    local document = change.textDocument
    if document and document.version then
      local buf = vim.uri_to_bufnr(document.uri)
      if (vim.lsp.util.buf_versions[buf] or 0) > document.version then
        return { applied = false, failureReason = 'the text was edited meanwhile; please try again' }
      end
    end
  end
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  local ok, err = pcall(vim.lsp.util.apply_workspace_edit, params.edit, client.offset_encoding)
  return { applied = ok, failureReason = not ok and tostring(err) or nil }
end

return M
