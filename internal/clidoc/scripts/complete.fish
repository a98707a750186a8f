# Completions of ahp-lsp for fish: ~/.config/fish/completions/ahp-lsp.fish.
function __ahp_lsp_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    command ahp-lsp complete -- $words "$current" 2>/dev/null
end
complete -c ahp-lsp -n '__ahp_lsp_complete | string length -q' -f
complete -c ahp-lsp -a '(__ahp_lsp_complete)'
