-- Neovim as it is in the picture of the documentation: the plugin, and a good-looking theme.
vim.opt.runtimepath:prepend(vim.env.AHP_PLUGIN)
vim.o.termguicolors = true
vim.o.background = 'dark'
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.swapfile = false
vim.o.showcmd = false
vim.o.ruler = false
vim.o.tabstop = 4
vim.o.winborder = 'rounded'
vim.opt.fillchars = { eob = ' ' }
vim.diagnostic.config({ virtual_text = true })
vim.cmd.colorscheme('catppuccin')
-- The theme is Vim's, too, and leaves to others what only Neovim has.
vim.api.nvim_set_hl(0, 'DiagnosticWarn', { fg = '#f9e2af' })
vim.api.nvim_set_hl(0, 'DiagnosticUnderlineWarn', { undercurl = true, sp = '#f9e2af' })
vim.api.nvim_set_hl(0, 'DiagnosticInfo', { fg = '#89dceb' })
vim.api.nvim_set_hl(0, 'DiagnosticUnderlineInfo', { undercurl = true, sp = '#89dceb' })
vim.api.nvim_set_hl(0, 'LspCodeLens', { fg = '#7f849c', italic = true })
vim.api.nvim_set_hl(0, 'FloatBorder', { fg = '#6c7086' })
vim.keymap.set('n', 'T', "<Cmd>echo ''<Bar>AhpThread<CR>") -- leaves nothing in the last line
