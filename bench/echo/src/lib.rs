//! What the echo server and the load generator share: HTTP/1.1 framing and the little
//! bit of JSON that both need.

pub mod http;
pub mod json;
