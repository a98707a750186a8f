# ahp-lsp beside the servers that kakoune-lsp has for a file type. Source this after kakoune-lsp.

hook -group lsp-filetype-ahp global BufSetOption filetype=.+ %{
    evaluate-commands %sh{
        case $kak_opt_lsp_servers in
            *'[ahp-lsp]'*) ;; # the file type was set again
            *) echo 'set-option -add buffer lsp_servers %{
                [ahp-lsp]
                root_globs = [".git"]
                args = ["--stdio"]
            }' ;;
        esac
    }
}
