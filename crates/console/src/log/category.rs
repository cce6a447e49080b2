//! Log lines on stderr. Lines that are logged only on request name the part of the program.

use std::fmt;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::registry::LookupSpan;

/// `TIME LEVEL [category] text`
pub(super) struct Lines<T>(pub(super) T);

impl<S, N, T> FormatEvent<S, N> for Lines<T>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    T: FormatTime,
{
    fn format_event(
        &self,
        ctx: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (dim, color, reset) = match (writer.has_ansi_escapes(), *event.metadata().level()) {
            (false, _) => ("", "", ""),
            (true, Level::ERROR) => ("\x1b[2m", "\x1b[31m", "\x1b[0m"),
            (true, Level::WARN) => ("\x1b[2m", "\x1b[33m", "\x1b[0m"),
            (true, Level::INFO) => ("\x1b[2m", "\x1b[32m", "\x1b[0m"),
            (true, _) => ("\x1b[2m", "\x1b[34m", "\x1b[0m"),
        };
        writer.write_str(dim)?;
        self.0.format_time(&mut writer)?;
        let level = *event.metadata().level();
        write!(writer, "{reset} {color}{level:>5}{reset} ")?;
        if level >= Level::DEBUG {
            write!(writer, "[{}] ", category(event.metadata().target()))?;
        }
        ctx.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// The part of the program that a module belongs to, by a name that users know.
fn category(module: &str) -> &'static str {
    const PARTS: [(&str, &str); 16] = [
        ("linkspan_ports::http", "http"),
        ("linkspan_ports::front", "front"),
        ("linkspan_ports::child", "child"),
        ("linkspan_ports::stdio", "stdio"),
        ("linkspan_fetch", "fetch"),
        ("linkspan_ports", "stdio"),
        ("linkspan_session", "session"),
        ("linkspan_mcp_bash", "scripts"),
        ("linkspan_mcp", "era"),
        ("linkspan_scripts", "scripts"),
        ("linkspan_spawn", "child"),
        ("linkspan_shrink", "shrink"),
        ("linkspan::commands::shrink", "shrink"),
        ("linkspan_acp", "acp"),
        ("linkspan_conduct", "acp"),
        ("linkspan_bridge", "servers"),
    ];
    let part = PARTS.iter().find(|(prefix, _)| module.starts_with(prefix));
    part.map_or("linkspan", |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::category;

    #[test]
    fn every_module_has_a_category() {
        assert_eq!(category("linkspan_ports::http::driver::open"), "http");
        assert_eq!(category("linkspan_ports::lines"), "stdio");
        assert_eq!(category("linkspan_mcp_bash::connection"), "scripts");
        assert_eq!(category("linkspan_mcp::era"), "era");
        assert_eq!(category("linkspan_conduct::mcp_bridge"), "acp");
        assert_eq!(category("linkspan::connect"), "linkspan");
    }
}
