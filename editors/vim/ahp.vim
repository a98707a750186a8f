" Review what AI agents do to code: ahp-lsp in every file, through the plugin ALE (version 4, Vim 9).
"
" Put this file into ~/.vim/plugin/. The program ahp-lsp has to be on the PATH.
"
"   :ALENext, :ALEPrevious      next and previous comment
"   :ALEHover                   the whole thread; the agent's change as a diff
"   :ALECodeAction              what can be done on this line, or with the selection
"   :[range]AhpComment TEXT     comment on these lines
"
" ALE has no code lenses and cannot be asked questions: a destructive action is chosen twice.

if exists('g:loaded_ahp')
  finish
endif
let g:loaded_ahp = 1

function! s:Root(buffer) abort
  let l:dir = expand('#' . a:buffer . ':p:h')
  let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
  if empty(l:git) " a file, in a work tree that was added to a repository
    let l:git = ale#path#FindNearestFile(a:buffer, '.git')
  endif
  return empty(l:git) ? l:dir : fnamemodify(substitute(l:git, '/$', '', ''), ':h')
endfunction

" A linter of ALE belongs to a file type. A buffer keeps the linters it has, and gets this one.
function! s:Enable(buffer, filetype) abort
  if !empty(getbufvar(a:buffer, '&buftype')) || empty(a:filetype) || !exists('g:loaded_ale')
    return
  endif
  let l:names = map(copy(ale#linter#Get(a:filetype)), 'v:val.name')
  for l:filetype in ale#linter#ResolveFiletype(a:filetype)
    call ale#linter#Define(l:filetype, {
    \   'name': 'ahp-lsp',
    \   'lsp': 'stdio',
    \   'executable': 'ahp-lsp',
    \   'command': '%e --stdio',
    \   'project_root': function('s:Root'),
    \})
  endfor
  let l:linters = getbufvar(a:buffer, 'ale_linters', {})
  if type(l:linters) is v:t_dict
    call setbufvar(a:buffer, 'ale_linters', extend(copy(l:linters), {a:filetype: l:names + ['ahp-lsp']}))
  elseif type(l:linters) is v:t_list && index(l:linters, 'ahp-lsp') < 0
    call setbufvar(a:buffer, 'ale_linters', l:linters + ['ahp-lsp'])
  endif
endfunction

function! s:Comment(first, last, text) abort
  call ale#lsp_linter#SendRequest(bufnr(''), 'ahp-lsp', ale#lsp#message#ExecuteCommand('ahp.annotation.create', [{
  \   'uri': ale#util#ToURI(expand('%:p')),
  \   'text': a:text,
  \   'range': {'start': {'line': a:first - 1, 'character': 0}, 'end': {'line': a:last, 'character': 0}},
  \}]))
endfunction

command! -range -nargs=1 AhpComment call s:Comment(<line1>, <line2>, <q-args>)

augroup ahp
  autocmd!
  autocmd FileType * call s:Enable(str2nr(expand('<abuf>')), expand('<amatch>'))
  " The agent writes files: read them again, unless there is unsaved text.
  autocmd FocusGained,BufEnter,CursorHold * if empty(getcmdwintype()) | silent! checktime | endif
augroup END
set autoread
