# `nix run .` and `nix profile install .`: built from the sources, with the crates of Cargo.lock.
{
  description = "The bridge between any AI client and any tool server";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach = nixpkgs.lib.genAttrs systems;
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
    in
    {
      packages = forEach (
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        {
          default = pkgs.rustPlatform.buildRustPackage {
            pname = "linkspan";
            inherit (manifest) version;
            src = self;
            cargoLock.lockFile = ./Cargo.lock;
            cargoBuildFlags = [
              "--package"
              "linkspan"
              "--bin"
              "linkspan"
              "--features"
              "keyring"
            ];
            # The suites start servers and other programs: `cargo xtask test`.
            doCheck = false;
            nativeBuildInputs = [
              pkgs.cmake
              pkgs.installShellFiles
            ];
            postInstall = ''
              $out/bin/linkspan man > linkspan.1
              installManPage linkspan.1
              installShellCompletion --cmd linkspan \
                --bash <($out/bin/linkspan completions bash) \
                --zsh <($out/bin/linkspan completions zsh) \
                --fish <($out/bin/linkspan completions fish)
            '';
            meta = {
              inherit (manifest) description;
              license = with pkgs.lib.licenses; [
                mit
                asl20
              ];
              mainProgram = "linkspan";
            };
          };
        }
      );

      apps = forEach (system: {
        default = {
          type = "app";
          program = "${self.packages.${system}.default}/bin/linkspan";
        };
      });
    };
}
