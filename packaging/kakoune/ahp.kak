# ahp-lsp beside the servers that kakoune-lsp has for a file type. Source this after kakoune-lsp.

hook -group lsp-filetype-ahp global BufSetOption filetype=.+ %{
    set-option -add buffer lsp_servers %{
        [ahp-lsp]
        root_globs = [".git"]
        args = ["--stdio"]
    }
}
