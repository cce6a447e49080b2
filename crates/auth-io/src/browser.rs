//! The user's browser.

use url::Url;

/// Whether a browser can be opened for the user; `is_set` says whether a variable of the environment has a value.
pub fn can_show(is_set: &dyn Fn(&str) -> bool) -> bool {
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"];
    if is_set("BROWSER") || has_display.into_iter().any(is_set) {
        return true;
    }
    // Over SSH the browser would open on the other machine.
    (cfg!(windows) || cfg!(target_os = "macos")) && !is_set("SSH_CONNECTION")
}

/// Starts a browser with a page, without a shell. Returns whether one was started.
///
/// The URL was parsed and is written anew, so that it has neither spaces nor quotes; its scheme was checked by the
/// sign-in, and is checked once more here, next to the program that is started.
pub async fn open(url: &Url) -> bool {
    if !matches!(url.scheme(), "https" | "http") {
        return false;
    }
    let text = url.as_str().to_owned();
    // Some browsers keep the caller waiting until their window is closed.
    let opened = tokio::task::spawn_blocking(move || {
        let mut options = webbrowser::BrowserOptions::new();
        options.with_suppress_output(true);
        webbrowser::open_browser_with_options(webbrowser::Browser::Default, &text, &options)
    });
    let limit = std::time::Duration::from_secs(10);
    match tokio::time::timeout(limit, opened).await {
        Ok(Ok(Ok(()))) | Err(_) => true,
        Ok(Ok(Err(error))) => {
            tracing::debug!("no browser: {error}");
            false
        }
        Ok(Err(_)) => false,
    }
}
