//! Signature algorithms of JWS (RFC 7518, RFC 8037). `none` and HMAC are not among them: a verifier that knows them
//! can be talked into accepting a token that anyone could have made.

use aws_lc_rs::signature::{self as sig, VerificationAlgorithm};

/// An asymmetric signature algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
    /// RSASSA-PSS with SHA-256.
    Ps256,
    /// RSASSA-PSS with SHA-384.
    Ps384,
    /// RSASSA-PSS with SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// ECDSA on P-521 with SHA-512.
    Es512,
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::Es512,
        Self::EdDsa,
    ];

    /// The value of `alg`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Es512 => "ES512",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    pub(super) fn is_rsa(self) -> bool {
        self.rsa().is_some()
    }

    pub(super) fn rsa(self) -> Option<&'static sig::RsaParameters> {
        Some(match self {
            Self::Rs256 => &sig::RSA_PKCS1_2048_8192_SHA256,
            Self::Rs384 => &sig::RSA_PKCS1_2048_8192_SHA384,
            Self::Rs512 => &sig::RSA_PKCS1_2048_8192_SHA512,
            Self::Ps256 => &sig::RSA_PSS_2048_8192_SHA256,
            Self::Ps384 => &sig::RSA_PSS_2048_8192_SHA384,
            Self::Ps512 => &sig::RSA_PSS_2048_8192_SHA512,
            _ => return None,
        })
    }

    /// How signatures by keys other than RSA are verified.
    pub(super) fn verification(self) -> Option<&'static dyn VerificationAlgorithm> {
        Some(match self {
            Self::Es256 => &sig::ECDSA_P256_SHA256_FIXED,
            Self::Es384 => &sig::ECDSA_P384_SHA384_FIXED,
            Self::Es512 => &sig::ECDSA_P521_SHA512_FIXED,
            Self::EdDsa => &sig::ED25519,
            _ => return None,
        })
    }
}
