//! `--help` of the commands that are a server, and of those for authors of folders.

use insta::assert_snapshot;

use crate::setup::linkspan;

#[test]
fn the_help_of_the_reader_server_has_a_configuration() {
    assert_snapshot!(linkspan(&["bcp", "mcp", "--help"]), @r#"
    Let an MCP client read, inspect and create BCP files

    Usage: linkspan bcp mcp [OPTIONS]

    Options:
          --root <DIR>        Folder where files may be read and written; may be repeated; the current
                              one by default
          --http              Serve over HTTP instead of stdin and stdout, and print the URL
          --shrink[=<LEVEL>]  Shorten tool results without loss; see `linkspan shrink` [possible values:
                              safe, balanced, max]
          --no-color          No colours, even on a terminal
      -v, --verbose...        Write a log to stderr
          --debug             Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>   Also write the log to FILE
      -h, --help              Print help (see a summary with '-h')

    Listening:
      -p, --port <PORT>       Port to listen on; 0 picks a free one [default: 8808]
          --host <ADDRESS>    Address to listen on; any other than loopback needs --token-env, --keys or
                              --auth-issuer [default: 127.0.0.1]
          --unix <PATH>       Listen on a Unix socket in place of an address
          --unix-mode <MODE>  Permissions of the Unix socket, in octal [default: 600]
          --path <PATH>       URL path of the MCP endpoint [default: /mcp]
          --sse               Also serve the older HTTP+SSE, at /sse and /messages

    Access:
          --token-env <VAR>           Require the environment variable VAR as bearer token from clients
          --insecure-no-token         Listen on other addresses than loopback without a token
          --allow-origin <ORIGIN>     Also allow calls from web pages of this origin; `*` allows all
          --allow-host <HOST>         Also allow this host name in requests; `*` allows all
          --header-timeout <SECONDS>  Close a connection that takes longer than this to send a request,
                                      or a part of it [default: 30]

    Who may connect:
          --auth-issuer <URL>
              Accept access tokens of this authorization server (OAuth 2.1); may be repeated
          --keys <FILE>
              Accept the API keys whose hashes are in FILE (JSON)
          --public-url <URL>
              URL of the endpoint as clients know it, if a proxy is in front
          --auth-audience <TEXT>
              Audience that tokens must have; the URL of the endpoint by default
          --auth-scope <SCOPE>
              Scope that every request needs; may be repeated
          --tool-scope <GLOB=SCOPE>
              Scope that calls of matching tools need, for example 'delete_*=admin'
          --auth-jwks <FILE|URL>
              Public keys of the issuer: a JWKS file, or its URL
          --auth-introspect <URL>
              Ask this endpoint about tokens that are not JWTs (RFC 7662)
          --auth-introspect-client-id <ID>
              Client id for that endpoint
          --auth-introspect-secret-env <VAR>
              Environment variable with the client secret for it
          --auth-dpop <WHEN>
              Tokens that are bound to a key of the client (DPoP) [default: optional] [possible values:
              required, optional, off]
          --auth-claim <CLAIM>
              Claim of a token that identifies the user, for example email [default: sub]
          --auth-accept-id-token
              Accept ID tokens, too
          --forward-identity
              Tell a server at a URL who the caller is, in the signed header Linkspan-Identity
          --identity-key <FILE>
              Private key (P-256, PEM) for that header; a new one at each start by default

    Serves the tools read_bcp_file, inspect_bcp_file and encode_bcp_file on stdin and stdout, or over
    HTTP, in every revision of MCP from 2024-11-05 to 2026-07-28.

    Files are read and written in the given folders only, wherever links lead. Over stdio the client may
    offer further folders (roots); over HTTP it may not, because any client could offer any folder.

    Examples:
      linkspan bcp mcp
      linkspan bcp mcp --root ~/contexts --root /srv/shared
      linkspan bcp mcp --http --port 9000
      TOKEN=… linkspan bcp mcp --http --host 0.0.0.0 --token-env TOKEN

    In a client's configuration:
      {"mcpServers":{"bcp":{"command":"linkspan",
        "args":["bcp","mcp","--root","/home/me/contexts"]}}}

    Environment:
      BCP_RENDER_MODE     default format: xml, markdown or minimal
      BCP_CLI_TIMEOUT_MS  time limit of a call in milliseconds (30000); 0 is none
      BCP_LOG_LEVEL       what is logged without -v: debug, info, warn or error
    "#);
}

#[test]
fn the_help_of_serve_says_what_a_folder_is_and_what_is_safe() {
    assert_snapshot!(linkspan(&["serve", "--help"]), @r#"
    Serve a folder of scripts, or an HTTP API (OpenAPI), as an MCP server

    Usage: linkspan serve [OPTIONS] [DIR]

    Arguments:
      [DIR]  The folder; the current one by default

    Options:
          --http                Serve over HTTP instead of stdin and stdout, and print the URL
          --drain <SECONDS>     Wait this long for pending answers after stdin closes [default: 10]
          --no-watch            Do not watch the folder for changes
          --minimal             Offer only the handshake, ping and logging, to test a client's
                                connection
          --health              Check whether the folder can be served, and exit with 0 or 1 [alias:
                                --ready]
          --shrink[=<LEVEL>]    Shorten tool results without loss; see `linkspan shrink` [possible
                                values: safe, balanced, max]
          --long-calls          Keep calls that take longer than clients wait, for the tool `wait_for`
          --patience <SECONDS>  Answer a call after this long with a handle; 0 only sends progress
                                [default: 50]
          --elicit[=<WHERE>]    Ask the user of this machine if the client cannot: page, terminal, off
          --tools <LEVEL>       Shorter list of tools: brief, thin, auto, search
          --tools-budget <N>    Most tokens of --tools auto [default: 8000]
          --drop-output-schema  Leave out the output schemas of tools
      -v, --verbose...          Write a log to stderr
          --debug               Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>     Also write the log to FILE
      -h, --help                Print help (see a summary with '-h')

    Listening:
      -p, --port <PORT>       Port to listen on; 0 picks a free one [default: 8808]
          --host <ADDRESS>    Address to listen on; any other than loopback needs --token-env, --keys or
                              --auth-issuer [default: 127.0.0.1]
          --unix <PATH>       Listen on a Unix socket in place of an address
          --unix-mode <MODE>  Permissions of the Unix socket, in octal [default: 600]
          --path <PATH>       URL path of the MCP endpoint [default: /mcp]
          --sse               Also serve the older HTTP+SSE, at /sse and /messages

    Folder:
          --compat <LAYOUT>           Folder layout: linkspan's own or mcp-bash's [default: auto]
                                      [possible values: auto, native, mcp-bash]
          --root <PATH>               File or folder that clients may read by file: URIs; may be
                                      repeated
          --allow-provider <SCHEME>   Let clients read URIs of this scheme, which reach other machines;
                                      may be repeated [possible values: git, https]
          --https-host <HOST[:PORT]>  Allow only this host in https: and git+https: URIs; *.HOST means
                                      its subdomains; with a port it may be on this machine or in a
                                      private network; may be repeated
          --sandbox <LEVEL>           Minimum sandbox level: 0 none, 1 no privilege gain (setuid), 2
                                      only declared files and ports
          --concurrency <N>           Most calls at once; further ones wait
          --insecure-writable         Accept a folder that other users can write to, and so decide what
                                      runs

    OpenAPI:
          --openapi <FILE|URL>           Serve the HTTP API of this OpenAPI document (JSON or YAML) in
                                         place of a folder
          --base-url <URL>               URL of the API, in place of the server that the document names
          --include <GLOB>               Serve only operations whose name, tag, path or `METHOD /path`
                                         matches; may be repeated
          --exclude <GLOB>               Leave out operations that match; may be repeated
      -H, --header <NAME: VALUE>         Send this header with every request; ${VAR} is replaced from
                                         the environment; never logged
          --bearer-env <VAR>             Send variable VAR (VAR?: if set) as bearer token; never logged
          --credential-env <SCHEME=VAR>  Send variable VAR as credentials of a security scheme of the
                                         document; may be repeated
          --output-schemas               Give tools an output schema and results structured content, as
                                         the document declares
          --timeout <SECONDS>            Give up a call after this long; 0 never gives up [default: 60]
          --max-response <SIZE>          Largest response, for example 1MiB [default: 8MiB]
          --ca <FILE>                    Also trust the certificates in FILE (PEM)
          --insecure-http                Allow plain http:// to other machines, which is not encrypted

    Access:
          --token-env <VAR>           Require the environment variable VAR as bearer token from clients
          --insecure-no-token         Listen on other addresses than loopback without a token
          --allow-origin <ORIGIN>     Also allow calls from web pages of this origin; `*` allows all
          --allow-host <HOST>         Also allow this host name in requests; `*` allows all
          --header-timeout <SECONDS>  Close a connection that takes longer than this to send a request,
                                      or a part of it [default: 30]

    Who may connect:
          --auth-issuer <URL>
              Accept access tokens of this authorization server (OAuth 2.1); may be repeated
          --keys <FILE>
              Accept the API keys whose hashes are in FILE (JSON)
          --public-url <URL>
              URL of the endpoint as clients know it, if a proxy is in front
          --auth-audience <TEXT>
              Audience that tokens must have; the URL of the endpoint by default
          --auth-scope <SCOPE>
              Scope that every request needs; may be repeated
          --tool-scope <GLOB=SCOPE>
              Scope that calls of matching tools need, for example 'delete_*=admin'
          --auth-jwks <FILE|URL>
              Public keys of the issuer: a JWKS file, or its URL
          --auth-introspect <URL>
              Ask this endpoint about tokens that are not JWTs (RFC 7662)
          --auth-introspect-client-id <ID>
              Client id for that endpoint
          --auth-introspect-secret-env <VAR>
              Environment variable with the client secret for it
          --auth-dpop <WHEN>
              Tokens that are bound to a key of the client (DPoP) [default: optional] [possible values:
              required, optional, off]
          --auth-claim <CLAIM>
              Claim of a token that identifies the user, for example email [default: sub]
          --auth-accept-id-token
              Accept ID tokens, too
          --forward-identity
              Tell a server at a URL who the caller is, in the signed header Linkspan-Identity
          --identity-key <FILE>
              Private key (P-256, PEM) for that header; a new one at each start by default

    Every executable in DIR/tools is a tool, every file in DIR/resources a resource, every text in
    DIR/prompts a prompt. A file beside them (greet.meta.yaml) or a comment inside them can give their
    name, description and arguments. Served on stdin and stdout, or over HTTP, in every revision of MCP
    from 2024-11-05 to 2026-07-28. Changes in the folder take effect at once.

    No script is executed to describe it. A folder that other users can write to is refused, because
    they would decide what runs. See docs/serve in the sources for the details.

    With --openapi, no folder is served: every operation of an OpenAPI document is a tool, and a call is
    a request to the server of the document. See docs/openapi.md in the sources.

    Examples:
      linkspan serve my-server
      linkspan serve my-server --http --port 9000
      linkspan serve my-server --sandbox 2 --root ~/notes
      TOKEN=… linkspan serve my-server --http --host 0.0.0.0 --token-env TOKEN
      linkspan serve --openapi https://example.com/openapi.json --bearer-env TOKEN
      linkspan tools ./my-server           # a folder is a target, too
      linkspan config my-server --client claude-code

    In a client's configuration:
      {"mcpServers":{"mine":{"command":"linkspan",
        "args":["serve","/home/me/my-server"]}}}
    "#);
}

#[test]
fn the_short_help_of_the_commands_for_authors() {
    assert_snapshot!(linkspan(&["run-tool", "-h"]), @"
    Run one tool of a folder, without a client

    Usage: linkspan run-tool [OPTIONS] <DIR> <NAME> [NAME=VALUE]...

    Arguments:
      <DIR>            The folder
      <NAME>           The tool
      [NAME=VALUE]...  Its arguments as NAME=VALUE

    Options:
          --args <JSON>        Its arguments as a JSON object, @file, or - for stdin
          --timeout <SECONDS>  Time limit, in place of the tool's `timeoutSecs` and up to its
                               `maxTimeoutSecs`
          --roots <PATH>       Folder that the client would offer as a root; may be repeated, or
                               separated by commas
          --dry-run            Check the arguments and print what would run
          --json               Print the result as a client would get it
      -v, --verbose...         Write a log to stderr
      -h, --help               Print help (see more with '--help')

    Folder:
          --compat <LAYOUT>          Folder layout: linkspan's own or mcp-bash's [default: auto]
                                     [possible values: auto, native, mcp-bash]
          --root <PATH>              File or folder that clients may read by file: URIs; may be repeated
          --allow-provider <SCHEME>  Let clients read URIs of this scheme, which reach other machines;
                                     may be repeated [possible values: git, https]
          --sandbox <LEVEL>          Minimum sandbox level: 0 none, 1 no privilege gain (setuid), 2 only
                                     declared files and ports
          --insecure-writable        Accept a folder that other users can write to, and so decide what
                                     runs
    ");
    assert_snapshot!(linkspan(&["validate", "-h"]), @"
    Show what clients will see of a folder, and its problems

    Usage: linkspan validate [OPTIONS] [DIR]

    Arguments:
      [DIR]  The folder; the current one by default

    Options:
          --fix              Fix what can be fixed safely, and report it
          --json             Print JSON
          --strict           Warnings count as errors
          --compat <LAYOUT>  Folder layout: linkspan's own or mcp-bash's [default: auto] [possible
                             values: auto, native, mcp-bash]
      -v, --verbose...       Write a log to stderr
      -h, --help             Print help (see more with '--help')
    ");
    assert_snapshot!(linkspan(&["config", "-h"]), @"
    Print the configuration that a client needs for a server

    Usage: linkspan config [OPTIONS] [FOLDER | URL | -- COMMAND…]

    Arguments:
      [TARGET]      The server: a folder of scripts (the current one by default), a URL, or a command
                    after `--`
      [COMMAND]...  Command that runs a server on stdin and stdout, or a command line of linkspan

    Options:
          --client <CLIENT>       The clients; those of this machine by default [possible values:
                                  claude-code, claude-desktop, cline, codex, continue, crush, cursor,
                                  gemini, goose, kiro, lm-studio, opencode, vscode, windsurf, zed]
          --all                   All clients that are found on this machine
          --scope <SCOPE>         The configuration of the user, or of the project in the current folder
                                  [possible values: user, project]
          --name <NAME>           Name of the server in the client; by default that of the folder, host
                                  or program
          --http <URL>            Give the client this URL, where the server runs already (linkspan
                                  serve --http)
          --with-path             Give the server this shell's PATH; GUI apps often have a shorter one
                                  [alias: --wrapper-env]
      -H, --header <NAME: VALUE>  Send this header with every request to the URL; name secrets as ${VAR}
          --bearer-env <VAR>      Send the environment variable VAR as bearer token to the URL
          --program <PROGRAM>     How clients start linkspan: npx, uvx, a path, or a name in PATH; by
                                  default the path of this program
          --json                  Print JSON
          --write                 Add it to the client's configuration file, and keep the rest of the
                                  file
          --remove                Remove the server from the client's configuration file
          --restore[=<COPY>]      Give the client's configuration file the contents of a copy: the
                                  latest, or this one
          --dry-run               Show what --write, --remove or --restore would change
          --force                 Replace or remove another server of the same name
          --list                  List the clients of this machine, their servers, and the copies of
                                  their files
          --file <FILE>           Configuration file, in place of the usual one
          --inspector             Print the command that opens the server in the MCP Inspector
      -v, --verbose...            Write a log to stderr
      -h, --help                  Print help (see more with '--help')
    ");
    assert_snapshot!(linkspan(&["scaffold", "-h"]), @"
    Add a tool, prompt, resource or completion to a folder

    Usage: linkspan scaffold [OPTIONS] <KIND> <NAME> [DIR]

    Arguments:
      <KIND>  What to add [possible values: tool, prompt, resource, completion]
      <NAME>  Its name
      [DIR]   The folder; the current one by default

    Options:
          --lang <LANG>  Language to write it in [possible values: bash, python, node]
      -v, --verbose...   Write a log to stderr
      -h, --help         Print help (see more with '--help')
    ");
}
