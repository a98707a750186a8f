{
  description = "Review what AI agents do to code, in any editor";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: rec {
        default = ahp-lsp;
        ahp-lsp = pkgs.buildGoModule rec {
          pname = "ahp-lsp";
          version = "0-unstable-" + (self.shortRev or self.dirtyShortRev or "unknown");
          src = ../..;
          # Written by "go run ./internal/release modules".
          vendorHash = "sha256-c6mw5n68+KoYqs2MZT9TiBFZ+gl89i+BvNymtUtHvl0=";
          subPackages = [ "cmd/ahp-lsp" ];
          env.CGO_ENABLED = 0;
          ldflags = [
            "-s"
            "-w"
            "-X main.version=${version}"
          ];
          # The tests drive editors, git and the network's loopback, which a sandbox does not have.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = pkgs.lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            $out/bin/ahp-lsp man > ahp-lsp.1
            installManPage ahp-lsp.1
            installShellCompletion --cmd ahp-lsp \
              --bash <($out/bin/ahp-lsp completion bash) \
              --zsh <($out/bin/ahp-lsp completion zsh) \
              --fish <($out/bin/ahp-lsp completion fish)
          '';
          meta = {
            description = "Review what AI agents do to code, in any editor";
            license = pkgs.lib.licenses.mit;
            mainProgram = "ahp-lsp";
          };
        };
      });
    };
}
