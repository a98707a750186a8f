augroup vim_lsp_settings_ahp_lsp
  au!
  LspRegisterServer {
      \ 'name': 'ahp-lsp',
      \ 'cmd': {server_info->lsp_settings#get('ahp-lsp', 'cmd', [lsp_settings#exec_path('ahp-lsp')]+lsp_settings#get('ahp-lsp', 'args', ['--stdio']))},
      \ 'root_uri': {server_info->lsp_settings#get('ahp-lsp', 'root_uri', lsp_settings#root_uri('ahp-lsp'))},
      \ 'initialization_options': lsp_settings#get('ahp-lsp', 'initialization_options', v:null),
      \ 'allowlist': lsp_settings#get('ahp-lsp', 'allowlist', ['*']),
      \ 'blocklist': lsp_settings#get('ahp-lsp', 'blocklist', []),
      \ 'config': lsp_settings#get('ahp-lsp', 'config', lsp_settings#server_config('ahp-lsp')),
      \ 'workspace_config': lsp_settings#get('ahp-lsp', 'workspace_config', {}),
      \ }
augroup END
