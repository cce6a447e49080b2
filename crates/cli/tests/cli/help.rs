//! `--help`.

use insta::assert_snapshot;

use crate::setup::{COMMANDS, Run, linkspan};

#[test]
fn the_help_lists_the_commands_and_exit_codes() {
    assert_snapshot!(linkspan(&["--help"]), @"
    The bridge between any AI client and any tool server

    Usage: linkspan [OPTIONS] <COMMAND>

    Commands:
      connect      Connect a stdio client to any server
      expose       Offer a server over HTTP
      gateway      Serve all servers of a configuration as one
      shrink       Shorten tool results without loss, to save tokens
      conduct      Connect an editor to an agent through proxies (ACP)
      agent        Serve an ACP agent as an MCP server
      mcp          Connect an agent to an MCP server inside a `conduct` chain (agents run this)
      login        Sign in to a server
      logout       Sign out of a server
      auth         See and import sign-ins
      pins         See and accept what servers tell the model
      audit        Check the audit log of a gateway
      tools        List the tools of a server
      call         Call a tool
      resources    List the resources of a server, and its templates
      read         Print a resource
      prompts      List the prompts of a server
      prompt       Print a prompt
      ping         Check that a server answers, and how fast
      serve        Serve a folder of scripts as an MCP server
      new          Create a folder of scripts
      scaffold     Add a tool, prompt, resource or completion to a folder
      validate     Show what clients will see of a folder, and its problems
      run-tool     Run one tool of a folder, without a client
      config       Print the configuration that a client needs for a server
      doctor       Check this machine for problems with scripts and clients
      sdk          Write out the SDKs for tools in Bash, Python and Node
      jq           Run the built-in jq
      bcp          Work with BCP files: context packed for a model
      completions  Print a completion script for a shell
      man          Print the manual page
      licenses     Print the licences of the software in this program
      help         Print this message or the help of the given subcommand(s)

    Options:
      -v, --verbose...       Write a log to stderr
          --debug            Same as -v; so is DEBUG=1 in the environment
          --log-file <FILE>  Also write the log to FILE
      -h, --help             Print help (see a summary with '-h')
      -V, --version          Print version

    Examples:
      See what a server offers, and call a tool:
        linkspan tools https://mcp.example.com/mcp
        linkspan call git_log repo_path=. -- uvx mcp-server-git

      Connect a stdio client (Claude Code, an editor) to a remote server:
        claude mcp add example -- linkspan connect https://mcp.example.com/mcp

      Serve a stdio server over HTTP:
        linkspan expose -- npx -y @modelcontextprotocol/server-everything

      Shorten tool results without loss, to save tokens:
        claude mcp add git -- linkspan shrink -- uvx mcp-server-git

      Make a folder of scripts an MCP server, and configure a client for it:
        linkspan new my-server && linkspan config my-server

      Put a proxy between an editor and its agent (ACP), or use an agent as a tool:
        linkspan conduct ./my-proxy 'npx -y @zed-industries/claude-code-acp'
        claude mcp add helper -- linkspan agent -- ./my-agent acp

    Exit codes:
      0    it worked (connect: the client closed its side)
      1    the server answered with an error; audit, bcp, validate: not valid
      2    the command line is wrong, or names a folder that does not exist
      3    the target cannot be reached or started
      4    the peer broke the protocol or died
      5    the tool says that it failed (isError)
      6    no answer in time
      129  hung up (SIGHUP)
      130  interrupted (SIGINT)
      143  terminated (SIGTERM)
    ");
}

#[test]
fn without_arguments_there_is_help_too() {
    let ran = linkspan(&[]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stdout, "", "stdout is for answers");
    assert_eq!(ran.stderr, linkspan(&["-h"]).stdout);
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
fn flags_are_under_their_headings() {
    for (command, flag) in [
        ("connect", "--drain"),
        ("connect", "--record"),
        ("tools", "[COMMAND]..."),
        ("serve", "--no-watch"),
        ("connect", "--shrink"),
        ("expose", "--shrink"),
        ("serve", "--shrink"),
        ("call", "--shrink"),
    ] {
        let help = linkspan(&[command, "--help"]).stdout;
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
            "Listening:",
        ];
        assert!(
            heading.is_none_or(|heading| !specific.contains(&heading)),
            "{flag} of {command}"
        );
    }
}

#[test]
fn where_to_listen_has_a_heading_of_its_own() {
    for command in ["expose", "serve", "shrink", "agent"] {
        let help = linkspan(&[command, "--help"]).stdout;
        let part = help.split_once("\nListening:\n").expect("a heading").1;
        let part = part.split("\n\n").next().unwrap_or_default();
        assert!(part.contains("-p, --port"), "{command}: {part}");
    }
}

#[test]
fn the_short_help_leaves_rare_flags_to_the_long_one() {
    for (command, rare) in [
        ("connect", "--retry-delay"),
        ("connect", "--max-message"),
        ("shrink", "--threshold"),
        ("shrink", "--allow-host"),
        ("expose", "--park-timeout"),
        ("call", "--permission"),
    ] {
        let short = linkspan(&[command, "-h"]).stdout;
        assert!(!short.contains(rare), "{rare} is in {command} -h");
        let long = linkspan(&[command, "--help"]).stdout;
        assert!(long.contains(rare), "{rare} is not in {command} --help");
    }
    for (command, most) in [
        ("connect", 35),
        ("shrink", 60),
        ("expose", 45),
        ("call", 45),
    ] {
        let lines = linkspan(&[command, "-h"]).stdout.lines().count();
        assert!(lines <= most, "{command} -h has {lines} lines");
    }
}

#[test]
fn the_long_help_is_short_enough_to_be_read_and_has_every_flag() {
    for (command, most) in [("connect", 95), ("shrink", 170)] {
        let ran = Run::new(&[command, "--help"]).env("COLUMNS", "80").end();
        let lines = ran.stdout.lines().count();
        assert!(lines <= most, "{command} --help has {lines} lines\n{ran}");
        let same = linkspan(&["help", command]).stdout;
        assert_eq!(same, linkspan(&[command, "--help"]).stdout);
    }
    let connect = linkspan(&["connect", "--help"]).stdout;
    for flag in [
        "--drain",
        "--record",
        "--shrink",
        "--debug",
        "--client-era",
        "--server-era",
        "--ca",
        "--acp",
    ] {
        assert!(connect.contains(flag), "{flag}\n{connect}");
    }
    let words: Vec<&str> = connect.split_whitespace().collect();
    assert!(
        words.join(" ").contains("30 s without a first answer"),
        "{connect}"
    );
}

#[test]
fn the_version_is_one_line_with_the_short_flag() {
    let version = concat!("linkspan ", env!("CARGO_PKG_VERSION"));
    assert_eq!(linkspan(&["-V"]).stdout, format!("{version}\n"));
    let long = linkspan(&["--version"]).stdout;
    let build = format!("{version} (");
    assert!(
        long.starts_with(&build) && long.contains("linkspan licenses"),
        "{long}"
    );
}

#[test]
fn the_licences_name_each_package_and_have_their_texts() {
    let ran = linkspan(&["licenses"]);
    assert_eq!(ran.code, Some(0));
    let (packages, texts) = ran
        .stdout
        .split_once("The texts of the licences\n")
        .unwrap();
    for part in ["\nserde_json 1.", "\ntokio 1.", "OpenAI"] {
        assert!(packages.contains(part), "{part}");
    }
    assert!(texts.contains("Apache License") && texts.contains("Permission is hereby granted"));
}
