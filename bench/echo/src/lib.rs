//! What the echo server and the load generator share: HTTP/1.1 framing, event streams and
//! the little bit of JSON that both need.

pub mod http;
pub mod json;
pub mod scan;
pub mod sse;
