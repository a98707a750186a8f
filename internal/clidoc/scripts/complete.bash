# Completions of ahp-lsp for bash: source this file in ~/.bashrc.
_ahp_lsp() {
    local IFS=$'\n'
    COMPREPLY=($("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _ahp_lsp ahp-lsp
