//! Starts ahp-lsp, which has to be on the PATH: this fetches nothing.

use zed_extension_api::{self as zed, LanguageServerId, Result};

struct AhpExtension;

impl zed::Extension for AhpExtension {
    fn new() -> Self {
        AhpExtension
    }

    fn language_server_command(
        &mut self,
        _language_server_id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let command = worktree
            .which("ahp-lsp")
            .ok_or_else(|| "ahp-lsp is not on the PATH".to_string())?;
        Ok(zed::Command {
            command,
            args: vec!["--stdio".to_string()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(AhpExtension);
