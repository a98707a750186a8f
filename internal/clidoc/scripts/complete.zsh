#compdef ahp-lsp
# Completions of ahp-lsp for zsh: a file _ahp-lsp in a folder of $fpath, or sourced after compinit.
_ahp_lsp() {
    local line
    local -a candidates
    for line in ${(f)"$($words[1] complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( $#candidates )); then
        _describe 'ahp-lsp' candidates
    else
        _files
    fi
}
if [[ "$funcstack[1]" = "_ahp-lsp" ]]; then
    _ahp_lsp "$@"
else
    compdef _ahp_lsp ahp-lsp
fi
