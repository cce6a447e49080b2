//! Trust in user-given certificates that the server presents as its own.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// The system's verifier, which also accepts a user-given certificate whose only fault is that it is a CA: `openssl req
/// -x509` makes self-signed certificates of that kind.
#[derive(Debug)]
pub(super) struct OrGiven {
    pub(super) inner: Verifier,
    pub(super) given: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for OrGiven {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let inner = &self.inner;
        let verified =
            inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        let is_given = || self.given.iter().any(|given| given == end_entity);
        match verified {
            // The verifier reports this error only after it has checked the validity period.
            Err(why) if is_ca(&why) && is_given() => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// Whether a certificate was refused because it is a CA. The error type belongs to another crate, so its name is
/// compared; if that changes, the certificate is refused.
fn is_ca(why: &Error) -> bool {
    matches!(why, Error::InvalidCertificate(why) if format!("{why:?}").contains("CaUsedAsEndEntity"))
}
