//! `--help`.

use insta::assert_snapshot;

use crate::setup::{COMMANDS, linkspan};

#[test]
fn the_help_says_what_there_is_and_how_it_ends() {
    assert_snapshot!(linkspan(&["--help"]), @r#"
    The bridge between any AI client and any tool server

    Usage: linkspan [OPTIONS] <COMMAND>

    Commands:
      connect      Give a stdio client a remote server
      expose       Serve a stdio server, or another URL, over HTTP
      shrink       Give a model the same tool results in fewer tokens
      conduct      Join an editor, proxies and an agent that speak ACP
      agent        Serve an ACP agent as an MCP server
      mcp          Reach an MCP server that lives in a chain of `conduct` (agents run this)
      tools        List the tools of a server
      call         Call a tool
      resources    List the resources of a server, and its templates
      read         Print a resource
      prompts      List the prompts of a server
      prompt       Print a prompt
      ping         Check that a server answers, and how fast
      serve        Make an MCP server of a folder of scripts
      new          Begin a folder of scripts
      scaffold     Add a tool, prompt, resource or completion to a folder
      validate     Print what clients will see of a folder, and what is wrong with it
      run-tool     Run one tool of a folder, without a client
      config       Print what a client needs to know to use a folder
      doctor       Look for what could keep scripts and clients from working on this machine
      sdk          Write out the SDKs for tools in Bash, Python and Node
      jq           The jq that scripts get: JSON in, JSON out
      bcp          Work with BCP files: context packed for a model
      completions  Print a completion script for a shell
      man          Print the manual page
      help         Print this message or the help of the given subcommand(s)

    Options:
      -v, --verbose...
              Log what happens to stderr

          --debug
              The same as -v; so is DEBUG=1 in the environment

          --log-file <FILE>
              Log what happens to FILE as well

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Examples:
      See what a server offers, and call a tool:
        linkspan tools https://mcp.example.com/mcp
        linkspan call echo '{"message":"hi"}' -- npx -y @modelcontextprotocol/server-everything

      Give a stdio client (Claude Code, an editor) a remote server:
        claude mcp add example -- linkspan connect https://mcp.example.com/mcp

      Serve a stdio server over HTTP:
        linkspan expose -- npx -y @modelcontextprotocol/server-everything

      Give a model its results in half the tokens, without loss:
        claude mcp add files -- linkspan shrink -- npx -y @modelcontextprotocol/server-filesystem .

      Make a server of a folder of scripts, and give it to a client:
        linkspan new my-server && linkspan config my-server

      Put a proxy between an editor and its agent (ACP), or give a client an agent as a tool:
        linkspan conduct ./my-proxy 'npx -y @zed-industries/claude-code-acp'
        claude mcp add helper -- linkspan agent -- ./my-agent acp

    Exit codes:
      0    it worked (connect: the client closed its side)
      1    the server answered with an error; bcp, validate: something is not valid
      2    the command line is wrong
      3    the target cannot be reached or started
      4    the peer broke the protocol or died
      5    the tool says that it failed (isError)
      6    no answer in time
      129  hung up (SIGHUP)
      130  interrupted (SIGINT)
      143  terminated (SIGTERM)
    "#);
}

#[test]
fn without_arguments_there_is_help_too() {
    let ran = linkspan(&[]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stdout, "", "stdout is for answers");
    assert_eq!(ran.stderr, linkspan(&["-h"]).stdout);
}

#[test]
fn the_help_of_connect_has_examples() {
    assert_snapshot!(linkspan(&["connect", "--help"]), @r#"
    Give a stdio client a remote server

    Usage: linkspan connect [OPTIONS] (URL | FOLDER | -- COMMAND…)

    Arguments:
      [TARGET]
              The server: a URL, a folder of scripts, or a command after `--`

      [COMMAND]...
              A command that is a server on its stdin and stdout

    Options:
          --drain <SECONDS>
              How long answers in flight may still arrive after stdin has closed

              [default: 1]

          --record <FILE>
              Write every message of both directions to FILE as ndjson, with secrets masked

          --shrink[=<LEVEL>]
              Give results of tools in fewer tokens, without loss; see `linkspan shrink`

              Possible values:
              - safe:     Forms that everybody knows
              - balanced: What columns and paths have in common is said once
              - max:      Columns that follow from others, tables in cells, endings of file names said
                once

      -v, --verbose...
              Log what happens to stderr

          --debug
              The same as -v; so is DEBUG=1 in the environment

          --log-file <FILE>
              Log what happens to FILE as well

      -h, --help
              Print help (see a summary with '-h')

    Protocol era:
          --client-era <ERA>
              What the client speaks; auto goes by what it says

              Possible values:
              - auto:   Find out
              - legacy: The handshake revisions, 2024-11-05 to 2025-11-25
              - modern: The stateless revision, 2026-07-28

              [default: auto]

          --server-era <ERA>
              What the server speaks; auto asks it

              Possible values:
              - auto:   Find out
              - legacy: The handshake revisions, 2024-11-05 to 2025-11-25
              - modern: The stateless revision, 2026-07-28

              [default: auto]
              [alias: --era]

    Remote server:
      -H, --header <NAME: VALUE>
              Send a header with every request; ${VAR} is taken from the environment. Never logged

          --bearer-env <VAR>
              Send the value of the environment variable VAR as bearer token. Never logged

          --transport <TRANSPORT>
              Which transport to speak

              Possible values:
              - auto: Streamable HTTP, or HTTP+SSE if the server speaks only that
              - http: Streamable HTTP
              - sse:  HTTP+SSE (2024-11-05)

              [default: auto]

          --timeout <SECONDS>
              How long a call may go without a sign of life; 0 waits for ever

              [default: 3600]

          --connect-timeout <SECONDS>
              Limit of one attempt to connect

              [default: 10]

          --retries <N>
              Tries after a connection failed and nothing was sent

              [default: 3]

          --retry-delay <MS>
              Wait before the first of them in milliseconds; doubles each time

              [default: 100]

          --ca <FILE>
              Trust the certificates in FILE (PEM) besides the system's

          --insecure-http
              Allow plain http:// to other machines; everybody on the way can read it

          --max-message <SIZE>
              Largest message, for example 64MiB

              [default: 256MiB]

    Agent:
          --acp
              The command is an ACP agent: it is served as `linkspan agent` does

          --permission <WHAT>
              What becomes of an agent's question for permission

              Possible values:
              - ask:   Ask the client; refuse if it cannot be asked
              - allow: Allow whatever the agent wants to do, without asking anybody
              - deny:  Refuse all of it, without asking anybody

              [default: ask]

    Speaks MCP on stdin and stdout and passes every message on to URL and back, byte for byte but for
    its id. Finds out by itself whether URL speaks Streamable HTTP or the older HTTP+SSE. A server that
    is down does not end the bridge: each call is answered with an error that says why, and the next
    one tries again. After stdin has closed the session is ended politely and the exit code is 0.

    A client of the handshake revisions and a server of 2026-07-28 understand each other through it, and
    the other way round: what one says is translated for the other.

    Examples:
      linkspan connect https://mcp.example.com/mcp
      linkspan connect --bearer-env TOKEN https://mcp.example.com/mcp
      linkspan connect -H 'X-Api-Key: ${API_KEY}' --record talk.ndjson https://mcp.example.com/mcp
      linkspan connect --transport sse http://localhost:37373/mcp
      linkspan connect --server-era legacy -- npx -y @modelcontextprotocol/server-everything

    In a client's configuration:
      {"mcpServers":{"example":{"command":"linkspan","args":["connect","https://mcp.example.com/mcp"]}}}
    "#);
}

#[test]
fn the_help_of_shrink_says_what_it_promises_and_how_to_see_for_oneself() {
    assert_snapshot!(linkspan(&["shrink", "--help"]), @r#"
    Give a model the same tool results in fewer tokens

    Usage: linkspan shrink [OPTIONS] (URL | FOLDER | -- COMMAND…)
           linkspan shrink try [FILE]…
           linkspan shrink decode [FILE]
           linkspan shrink stats

    Commands:
      try     Show what becomes of texts: before, after, saved, and whether it can be taken back
      decode  Take a rewritten text back to the original
      stats   Show what was saved so far, by server, tool and kind
      help    Print this message or the help of the given subcommand(s)

    Arguments:
      [TARGET]
              The server: a URL, a folder of scripts, or a command after `--`

      [COMMAND]...
              A command that is a server on its stdin and stdout

    Options:
          --http
              Serve over HTTP instead of stdin and stdout, and print the URL

          --drain <SECONDS>
              How long answers in flight may still arrive after stdin has closed

              [default: 10]

          --record <FILE>
              Write every message of both directions to FILE as ndjson, with secrets masked

      -p, --port <PORT>
              The port to listen on; 0 takes a free one

              [default: 8808]

          --host <ADDRESS>
              The address to listen on; others than this machine's own need --token-env

              [default: 127.0.0.1]

          --path <PATH>
              Where MCP is served

              [default: /mcp]

          --sse
              Serve the older HTTP+SSE as well, at /sse and /messages

      -v, --verbose...
              Log what happens to stderr

          --debug
              The same as -v; so is DEBUG=1 in the environment

          --log-file <FILE>
              Log what happens to FILE as well

      -h, --help
              Print help (see a summary with '-h')

    Shorter texts:
          --level <LEVEL>
              How far a text may go from its usual form; every level can be taken back

              Possible values:
              - safe:     Forms that everybody knows
              - balanced: What columns and paths have in common is said once
              - max:      Columns that follow from others, tables in cells, endings of file names said
                once

              [default: max]

          --render <HOW>
              How results are rendered: auto is by kind and can be taken back; the others are BCP's

              Possible values:
              - auto:     By kind, without loss
              - xml:      BCP blocks as XML
              - markdown: BCP blocks as Markdown
              - minimal:  BCP blocks with as little around them as possible

              [alias: --render-mode]

          --tokens <VOCABULARY>
              Whose tokens count

              [default: o200k]
              [possible values: o200k, cl100k, estimate]

          --threshold <NUMBER>
              How sure the kind of a text must be, from 0 to 1 [default: 0.7]

          --min-saving <PERCENT>
              The least saving in percent

              [default: 10]

          --lossy <WHAT>
              What may be left out, and marked: diff-context=N, failures-only, html-to-text

    Results:
          --shadow
              Change nothing, only measure what would be saved

          --only <TOOL>
              Only these tools; `*` is anything

          --except <TOOL>
              All but these tools; `*` is anything

          --budget <TOKENS>
              The most tokens of a result; a larger one comes as an outline, and bcp_fetch has the rest

          --store <DIR>
              Keep every original in DIR, as a BCP file that only you may read

          --dedup
              Say once what comes again in a session

          --structured <[TOOL=]HOW>
              What becomes of structuredContent that says the same as the text: auto, keep, mirror,
              drop, or TOOL=… for one tool

          --slim-tools
              Leave descriptions inside the schemas of tools out of the list

          --no-bcp-tools
              Do not offer read_bcp_file and its siblings beside the tools of the server

          --root <DIR>
              A folder where they may read and write; the current one if there is none

          --time-box <MS>
              How long a result may be worked on, in milliseconds; then it passes as it is

              [default: 500]

          --stats-file <FILE>
              Where to write down what was saved; the usual place if it is not given

          --no-stats
              Do not write down what was saved

    Access:
          --token-env <VAR>
              Clients must send the value of the environment variable VAR as bearer token

          --insecure-no-token
              Listen on other addresses than this machine's own without a token

          --allow-origin <ORIGIN>
              A web origin that may call from a browser, besides this machine's; `*` for all

          --allow-host <HOST>
              A name under which clients may address us, besides this machine's; `*` for all

          --header-timeout <SECONDS>
              How long a client may take to send the head of a request, and each further part of it

              [default: 30]

    Protocol era:
          --client-era <ERA>
              What the client speaks; auto goes by what it says

              Possible values:
              - auto:   Find out
              - legacy: The handshake revisions, 2024-11-05 to 2025-11-25
              - modern: The stateless revision, 2026-07-28

              [default: auto]

          --server-era <ERA>
              What the server speaks; auto asks it

              Possible values:
              - auto:   Find out
              - legacy: The handshake revisions, 2024-11-05 to 2025-11-25
              - modern: The stateless revision, 2026-07-28

              [default: auto]
              [alias: --era]

    Remote server:
      -H, --header <NAME: VALUE>
              Send a header with every request; ${VAR} is taken from the environment. Never logged

          --bearer-env <VAR>
              Send the value of the environment variable VAR as bearer token. Never logged

          --transport <TRANSPORT>
              Which transport to speak

              Possible values:
              - auto: Streamable HTTP, or HTTP+SSE if the server speaks only that
              - http: Streamable HTTP
              - sse:  HTTP+SSE (2024-11-05)

              [default: auto]

          --timeout <SECONDS>
              How long a call may go without a sign of life; 0 waits for ever

              [default: 3600]

          --connect-timeout <SECONDS>
              Limit of one attempt to connect

              [default: 10]

          --retries <N>
              Tries after a connection failed and nothing was sent

              [default: 3]

          --retry-delay <MS>
              Wait before the first of them in milliseconds; doubles each time

              [default: 100]

          --ca <FILE>
              Trust the certificates in FILE (PEM) besides the system's

          --insecure-http
              Allow plain http:// to other machines; everybody on the way can read it

          --max-message <SIZE>
              Largest message, for example 64MiB

              [default: 256MiB]

    Agent:
          --acp
              The command is an ACP agent: it is served as `linkspan agent` does

          --permission <WHAT>
              What becomes of an agent's question for permission

              Possible values:
              - ask:   Ask the client; refuse if it cannot be asked
              - allow: Allow whatever the agent wants to do, without asking anybody
              - deny:  Refuse all of it, without asking anybody

              [default: ask]

    Stands between a client and a server and gives the model the same tool results in fewer tokens. JSON
    becomes a table, a tree one line per folder, search hits are grouped by file, and so on. Nothing is
    lost: a result is replaced only if the new text can be taken back to the original, which is tried
    each time, and is smaller by count. Otherwise it passes byte for byte. Errors, images and everything
    that is not the result of a tool are never touched.

    Examples:
      linkspan shrink -- npx -y @modelcontextprotocol/server-filesystem .
      linkspan shrink --shadow https://mcp.example.com/mcp     # change nothing, only measure
      linkspan shrink --budget 8000 --store ~/.cache/results -- ./my-server
      linkspan shrink try result.json                          # what would become of a text
      linkspan shrink try --text result.json | linkspan shrink decode
      linkspan shrink stats                                    # what was saved so far

    In a client's configuration:
      {"mcpServers":{"files":{"command":"linkspan","args":["shrink","--","npx","-y",
        "@modelcontextprotocol/server-filesystem","."]}}}

    Other commands do the same with --shrink. docs/shrink.md in the sources has the forms and their
    grammars.
    "#);
    assert_snapshot!(linkspan(&["shrink", "try", "-h"]), @"
    Show what becomes of texts: before, after, saved, and whether it can be taken back

    Usage: linkspan shrink try [OPTIONS] [FILE]...

    Arguments:
      [FILE]...  Texts as a tool would give them; stdin if there are none

    Options:
          --text             Print the text that a model would get, and nothing else
          --json             Print the figures as JSON, a line for each file
      -v, --verbose...       Log what happens to stderr
          --debug            The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Log what happens to FILE as well
      -h, --help             Print help (see more with '--help')

    Shorter texts:
          --level <LEVEL>         How far a text may go from its usual form; every level can be taken
                                  back [default: max] [possible values: safe, balanced, max]
          --render <HOW>          How results are rendered: auto is by kind and can be taken back; the
                                  others are BCP's [alias: --render-mode] [possible values: auto, xml,
                                  markdown, minimal]
          --tokens <VOCABULARY>   Whose tokens count [default: o200k] [possible values: o200k, cl100k,
                                  estimate]
          --threshold <NUMBER>    How sure the kind of a text must be, from 0 to 1 [default: 0.7]
          --min-saving <PERCENT>  The least saving in percent [default: 10]
          --lossy <WHAT>          What may be left out, and marked: diff-context=N, failures-only,
                                  html-to-text

    Examples:
      linkspan shrink try result.json
      git log -p -3 | linkspan shrink try
      linkspan shrink try --level safe *.json
    ");
    assert_snapshot!(linkspan(&["shrink", "decode", "-h"]), @"
    Take a rewritten text back to the original

    Usage: linkspan shrink decode [OPTIONS] [FILE]

    Arguments:
      [FILE]  The rewritten text; stdin if there is none

    Options:
      -v, --verbose...       Log what happens to stderr
          --debug            The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Log what happens to FILE as well
      -h, --help             Print help

    Example:
      linkspan shrink try --text result.json | linkspan shrink decode
    ");
    assert_snapshot!(linkspan(&["shrink", "stats", "-h"]), @"
    Show what was saved so far, by server, tool and kind

    Usage: linkspan shrink stats [OPTIONS]

    Options:
          --json               Print a line of JSON for each server, tool and kind
          --reset              Forget everything that was saved so far
          --stats-file <FILE>  Where the figures are; the usual place if it is not given
      -v, --verbose...         Log what happens to stderr
          --debug              The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>    Log what happens to FILE as well
      -h, --help               Print help

    Example:
      linkspan shrink stats --json
    ");
}

#[test]
fn the_help_of_the_reader_server_has_a_configuration() {
    assert_snapshot!(linkspan(&["bcp", "mcp", "--help"]), @r#"
    Let an MCP client read, inspect and make BCP files

    Usage: linkspan bcp mcp [OPTIONS]

    Options:
          --root <DIR>
              A folder whose files may be read and written, with all that is in it; may be given several
              times. The current folder if there is none

          --http
              Serve over HTTP instead of stdin and stdout, and print the URL

      -p, --port <PORT>
              The port to listen on; 0 takes a free one

              [default: 8808]

          --host <ADDRESS>
              The address to listen on; others than this machine's own need --token-env

              [default: 127.0.0.1]

          --path <PATH>
              Where MCP is served

              [default: /mcp]

          --sse
              Serve the older HTTP+SSE as well, at /sse and /messages

          --shrink[=<LEVEL>]
              Give results of tools in fewer tokens, without loss; see `linkspan shrink`

              Possible values:
              - safe:     Forms that everybody knows
              - balanced: What columns and paths have in common is said once
              - max:      Columns that follow from others, tables in cells, endings of file names said
                once

          --no-color
              No colours, also on a terminal

      -v, --verbose...
              Log what happens to stderr

          --debug
              The same as -v; so is DEBUG=1 in the environment

          --log-file <FILE>
              Log what happens to FILE as well

      -h, --help
              Print help (see a summary with '-h')

    Access:
          --token-env <VAR>
              Clients must send the value of the environment variable VAR as bearer token

          --insecure-no-token
              Listen on other addresses than this machine's own without a token

          --allow-origin <ORIGIN>
              A web origin that may call from a browser, besides this machine's; `*` for all

          --allow-host <HOST>
              A name under which clients may address us, besides this machine's; `*` for all

          --header-timeout <SECONDS>
              How long a client may take to send the head of a request, and each further part of it

              [default: 30]

    Serves the tools read_bcp_file, inspect_bcp_file and encode_bcp_file on stdin and stdout, or over
    HTTP, in every revision of MCP from 2024-11-05 to 2026-07-28.

    Files are read and written in the given folders only, wherever links lead. Over stdio the client may
    offer further folders (roots); over HTTP it may not, because anybody could offer anything.

    Examples:
      linkspan bcp mcp
      linkspan bcp mcp --root ~/contexts --root /srv/shared
      linkspan bcp mcp --http --port 9000
      TOKEN=… linkspan bcp mcp --http --host 0.0.0.0 --token-env TOKEN

    In a client's configuration:
      {"mcpServers":{"bcp":{"command":"linkspan","args":["bcp","mcp","--root","/home/me/contexts"]}}}

    Environment:
      BCP_RENDER_MODE     how files are rendered if a call does not say: xml, markdown or minimal
      BCP_CLI_TIMEOUT_MS  how long a call may take, in milliseconds; 30000 if not set, 0 for ever
      BCP_LOG_LEVEL       what is logged without -v: debug, info, warn or error
    "#);
}

#[test]
fn the_help_of_serve_says_what_a_folder_is_and_what_is_safe() {
    assert_snapshot!(linkspan(&["serve", "--help"]), @r#"
    Make an MCP server of a folder of scripts

    Usage: linkspan serve [OPTIONS] [DIR]

    Arguments:
      [DIR]
              The folder; the current one if there is none

    Options:
          --http
              Serve over HTTP instead of stdin and stdout, and print the URL

          --drain <SECONDS>
              How long answers in flight may still arrive after stdin has closed

              [default: 10]

          --no-watch
              Do not look for changes in the folder

          --minimal
              Offer nothing but the handshake, ping and logging, to see whether a client gets that far

          --health
              Say whether the folder could be served, and end: 0 yes, 1 no

              [alias: --ready]

      -p, --port <PORT>
              The port to listen on; 0 takes a free one

              [default: 8808]

          --host <ADDRESS>
              The address to listen on; others than this machine's own need --token-env

              [default: 127.0.0.1]

          --path <PATH>
              Where MCP is served

              [default: /mcp]

          --sse
              Serve the older HTTP+SSE as well, at /sse and /messages

          --shrink[=<LEVEL>]
              Give results of tools in fewer tokens, without loss; see `linkspan shrink`

              Possible values:
              - safe:     Forms that everybody knows
              - balanced: What columns and paths have in common is said once
              - max:      Columns that follow from others, tables in cells, endings of file names said
                once

      -v, --verbose...
              Log what happens to stderr

          --debug
              The same as -v; so is DEBUG=1 in the environment

          --log-file <FILE>
              Log what happens to FILE as well

      -h, --help
              Print help (see a summary with '-h')

    Folder:
          --compat <WHOSE>
              Whose conventions the folder follows

              Possible values:
              - auto:     mcp-bash's if it looks like one of its projects, ours otherwise
              - native:   Ours
              - mcp-bash: Those of mcp-bash

              [default: auto]

          --root <PATH>
              A file or folder that the client may read by a file: URI, with all that is in it; may be
              given several times

          --allow-provider <SCHEME>
              Let clients read URIs of this kind, which reach out of this machine; may be given several
              times

              Possible values:
              - git:   git:///… (a repository of this machine) and git+https://…
              - https: https://…

          --https-host <HOST[:PORT]>
              Let https: and git+https: URIs name only this host, *.HOST being all below it; with a port
              it may also be on this machine or in a private network; may be given several times

          --sandbox <LEVEL>
              Confine scripts at least as much as this: 0 not at all, 1 no new rights, 2 also only the
              files and ports that they declare

          --concurrency <N>
              Calls that run at once; others wait

          --insecure-writable
              Take a folder that others can write to; they decide what runs here

    Access:
          --token-env <VAR>
              Clients must send the value of the environment variable VAR as bearer token

          --insecure-no-token
              Listen on other addresses than this machine's own without a token

          --allow-origin <ORIGIN>
              A web origin that may call from a browser, besides this machine's; `*` for all

          --allow-host <HOST>
              A name under which clients may address us, besides this machine's; `*` for all

          --header-timeout <SECONDS>
              How long a client may take to send the head of a request, and each further part of it

              [default: 30]

    Every executable in DIR/tools is a tool, every file in DIR/resources a resource, every text in
    DIR/prompts a prompt; what they are called and what they take stands in a file beside them
    (greet.meta.yaml), in a comment in them, or nowhere. Served on stdin and stdout, or over HTTP, in
    every revision of MCP from 2024-11-05 to 2026-07-28. Changes in the folder are seen at once.

    Nothing is executed to find out what it is. A folder that others can write to is refused, because
    whoever writes to it decides what runs. See docs/serve in the sources for all of it.

    Examples:
      linkspan serve my-server
      linkspan serve my-server --http --port 9000
      linkspan serve my-server --sandbox 2 --root ~/notes
      TOKEN=… linkspan serve my-server --http --host 0.0.0.0 --token-env TOKEN
      linkspan tools ./my-server           # a folder is a target, too
      linkspan config my-server --client claude-code

    In a client's configuration:
      {"mcpServers":{"mine":{"command":"linkspan","args":["serve","/home/me/my-server"]}}}
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
          --timeout <SECONDS>  How long it may take, in place of its `timeoutSecs` and up to its
                               `maxTimeoutSecs`
          --roots <PATH>       A folder that the client would offer; may be given several times, or with
                               commas
          --dry-run            Check the arguments and print what would run, and run nothing
          --json               Print the result as a client would get it
      -v, --verbose...         Log what happens to stderr
          --debug              The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>    Log what happens to FILE as well
      -h, --help               Print help (see more with '--help')

    Folder:
          --compat <WHOSE>            Whose conventions the folder follows [default: auto] [possible
                                      values: auto, native, mcp-bash]
          --root <PATH>               A file or folder that the client may read by a file: URI, with all
                                      that is in it; may be given several times
          --allow-provider <SCHEME>   Let clients read URIs of this kind, which reach out of this
                                      machine; may be given several times [possible values: git, https]
          --https-host <HOST[:PORT]>  Let https: and git+https: URIs name only this host, *.HOST being
                                      all below it; with a port it may also be on this machine or in a
                                      private network; may be given several times
          --sandbox <LEVEL>           Confine scripts at least as much as this: 0 not at all, 1 no new
                                      rights, 2 also only the files and ports that they declare
          --concurrency <N>           Calls that run at once; others wait
          --insecure-writable         Take a folder that others can write to; they decide what runs here
    ");
    assert_snapshot!(linkspan(&["validate", "-h"]), @"
    Print what clients will see of a folder, and what is wrong with it

    Usage: linkspan validate [OPTIONS] [DIR]

    Arguments:
      [DIR]  The folder; the current one if there is none

    Options:
          --fix              Mend what can be mended without asking, and say what was done
          --json             Print JSON, for programs
          --strict           Warnings count as errors
          --compat <WHOSE>   Whose conventions the folder follows [default: auto] [possible values:
                             auto, native, mcp-bash]
      -v, --verbose...       Log what happens to stderr
          --debug            The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Log what happens to FILE as well
      -h, --help             Print help (see more with '--help')
    ");
    assert_snapshot!(linkspan(&["config", "-h"]), @"
    Print what a client needs to know to use a folder

    Usage: linkspan config [OPTIONS] [DIR]

    Arguments:
      [DIR]  The folder; the current one if there is none

    Options:
          --client <CLIENT>  Which client; all of them if it is not given [possible values: claude-code,
                             claude-desktop, cursor, vscode, zed]
          --name <NAME>      What the client is to call the server; the folder's name if it is not given
          --http <URL>       The server runs already, at this URL (linkspan serve --http)
          --with-path        Give the server this shell's PATH; programs with windows often have a
                             shorter one [alias: --wrapper-env]
          --json             Print JSON, for programs
          --write            Put it into the client's configuration, and keep the rest of that
          --file <FILE>      The configuration to write to, if it is not the usual one
          --inspector        Print the command that opens the folder in the MCP Inspector
      -v, --verbose...       Log what happens to stderr
          --debug            The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Log what happens to FILE as well
      -h, --help             Print help (see more with '--help')
    ");
    assert_snapshot!(linkspan(&["scaffold", "-h"]), @"
    Add a tool, prompt, resource or completion to a folder

    Usage: linkspan scaffold [OPTIONS] <KIND> <NAME> [DIR]

    Arguments:
      <KIND>  What to add [possible values: tool, prompt, resource, completion]
      <NAME>  What it is to be called
      [DIR]   The folder; the current one if there is none

    Options:
          --lang <LANG>      What it is to be written in [possible values: bash, python, node]
      -v, --verbose...       Log what happens to stderr
          --debug            The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Log what happens to FILE as well
      -h, --help             Print help (see more with '--help')
    ");
}

#[test]
fn the_short_help_of_call_has_examples_too() {
    assert_snapshot!(linkspan(&["call", "-h"]), @r#"
    Call a tool

    Usage: linkspan call [OPTIONS] TOOL ['JSON' | NAME=VALUE…] (URL | FOLDER | -- COMMAND…)

    Arguments:
      <NAME [ARGUMENTS] TARGET>...  Name, arguments ('JSON', name=value…, @file or -), and the target
                                    last
      [COMMAND]...                  A command that is a server on its stdin and stdout

    Options:
          --shrink[=<LEVEL>]  Give results of tools in fewer tokens, without loss; see `linkspan shrink`
                              [possible values: safe, balanced, max]
          --json              Print the result as the server spelled it
      -v, --verbose...        Log what happens to stderr
          --debug             The same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>   Log what happens to FILE as well
      -h, --help              Print help (see more with '--help')

    Remote server:
      -H, --header <NAME: VALUE>       Send a header with every request; ${VAR} is taken from the
                                       environment. Never logged
          --bearer-env <VAR>           Send the value of the environment variable VAR as bearer token.
                                       Never logged
          --transport <TRANSPORT>      Which transport to speak [default: auto] [possible values: auto,
                                       http, sse]
          --timeout <SECONDS>          How long a call may go without a sign of life; 0 waits for ever
                                       [default: 3600]
          --connect-timeout <SECONDS>  Limit of one attempt to connect [default: 10]
          --retries <N>                Tries after a connection failed and nothing was sent [default: 3]
          --retry-delay <MS>           Wait before the first of them in milliseconds; doubles each time
                                       [default: 100]
          --ca <FILE>                  Trust the certificates in FILE (PEM) besides the system's
          --insecure-http              Allow plain http:// to other machines; everybody on the way can
                                       read it
          --max-message <SIZE>         Largest message, for example 64MiB [default: 256MiB]

    Agent:
          --acp                The command is an ACP agent: it is served as `linkspan agent` does
          --permission <WHAT>  What becomes of an agent's question for permission [default: ask]
                               [possible values: ask, allow, deny]

    Examples:
      linkspan call echo '{"message":"hi"}' https://mcp.example.com/mcp
      linkspan call get-sum a=2 b=3 -- npx -y @modelcontextprotocol/server-everything
      linkspan call import @arguments.json https://mcp.example.com/mcp
    "#);
}

#[test]
fn every_command_has_help_with_an_example_that_names_it() {
    for command in COMMANDS {
        let ran = linkspan(&[command, "--help"]);
        assert_eq!(ran.code, Some(0), "{command}");
        let examples = ran
            .stdout
            .split_once("Example")
            .unwrap_or_else(|| panic!("{command} has no example"))
            .1;
        assert!(
            examples.contains(&format!("linkspan {command}")),
            "{command}:\n{ran}"
        );
    }
}

#[test]
fn flags_stand_under_the_heading_they_belong_to() {
    for (command, flag) in [
        ("connect", "--drain"),
        ("connect", "--record"),
        ("tools", "[COMMAND]..."),
        ("serve", "--no-watch"),
        ("serve", "-p, --port"),
        ("shrink", "-p, --port"),
        ("connect", "--shrink"),
        ("expose", "--shrink"),
        ("serve", "--shrink"),
        ("call", "--shrink"),
    ] {
        let help = linkspan(&[command, "-h"]).stdout;
        let before = help.split_once(&format!("  {flag}")).unwrap().0;
        let heading = before
            .lines()
            .rfind(|line| !line.starts_with(' ') && line.ends_with(':'));
        let specific = [
            "Remote server:",
            "Folder:",
            "Access:",
            "Protocol era:",
            "Logging:",
        ];
        assert!(
            heading.is_none_or(|heading| !specific.contains(&heading)),
            "{flag} of {command}"
        );
    }
}

#[test]
fn the_version_is_one_line() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        linkspan(&["--version"]).stdout,
        format!("linkspan {version}\n")
    );
}

#[test]
fn the_help_of_expose_teaches_with_examples_and_says_what_is_safe() {
    let page = linkspan(&["expose", "--help"]).stdout;
    for words in [
        "linkspan expose -- npx",
        "--token-env",
        "--share",
        "http://127.0.0.1:PORT/mcp",
        "Only this machine can connect",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
}
