//! Errors of the libraries as failures of this program: an exit code and a hint.

use linkspan_acp::BreakReason;
use linkspan_auth::store::StoreError;
use linkspan_auth_io::aws::AwsError;
use linkspan_auth_io::resource::SettingsError;
use linkspan_auth_io::{ClientSettingsError, PerformError};
use linkspan_bcp_tools::encode::NoOutput;
use linkspan_bcp_tools::variables::VariableError;
use linkspan_bridge::{BridgeError, LineMistake, Unprotected};
use linkspan_client::{ArgumentsError, CallArgumentsError, ClientError, OperationError};
use linkspan_client_config::{ChangeError, ServerError};
use linkspan_conduct::ConductError;
use linkspan_conduct::handshake::ConnectError;
use linkspan_dropin::LineError;
use linkspan_elicit::PlaceError;
use linkspan_gateway_io::{ConfigFileError, OpenError, PinsFileError};
use linkspan_openapi_io::OpenError as OpenApiError;
use linkspan_ports::OptionsError;
use linkspan_scripts::author::UnknownTool;
use linkspan_scripts::author::names::NameError;
use linkspan_scripts::author::scaffold::ScaffoldError;
use linkspan_scripts::sdk;
use linkspan_shrink_layer::{NoServer, ShrinkError, TextError};

use crate::exit::{Exit, Failure};
use crate::show;

/// Errors that have one exit code, in all their forms.
macro_rules! errors {
    ($exit:ident, $hint:ident: $($error:ty),+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::new(Exit::$exit, error.to_string()).$hint(error.hint())
            }
        })+
    };
}

errors!(Usage, hint: ArgumentsError, AwsError, LineError, LineMistake, NoOutput, NoServer, PlaceError);
errors!(Usage, hint: SettingsError, Unprotected, VariableError);
errors!(Usage, hinted: CallArgumentsError, ClientSettingsError);
errors!(Invalid, hint: sdk::WriteError);
errors!(Invalid, hinted: TextError);
errors!(ServerError, hint: UnknownTool);

impl From<PerformError> for Failure {
    fn from(error: PerformError) -> Self {
        let exit = match &error {
            PerformError::TooSlow(_) => Exit::Timeout,
            PerformError::SignIn(why) if why.is_transient() => Exit::Unreachable,
            PerformError::SignIn(_) | PerformError::NeedsLogin => Exit::ServerError,
            _ => Exit::Invalid,
        };
        Self::new(exit, error.to_string()).hint(error.hint())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        PerformError::Store(error).into()
    }
}

impl From<BridgeError> for Failure {
    fn from(error: BridgeError) -> Self {
        let exit = match error {
            BridgeError::ServerClosed(fault) => return fault.into(),
            // Options that cannot work are mistakes on the command line.
            BridgeError::Options(_) | BridgeError::Output { .. } => Exit::Usage,
            BridgeError::Spawn(_)
            | BridgeError::Listen(_)
            | BridgeError::Bind { .. }
            | BridgeError::BindUnix(_) => Exit::Unreachable,
        };
        Self::new(exit, error.to_string()).hinted(error.hint())
    }
}

impl From<ConfigFileError> for Failure {
    fn from(error: ConfigFileError) -> Self {
        let exit = match error {
            ConfigFileError::Read { .. } => Exit::Usage,
            ConfigFileError::Mistakes(_) => Exit::Invalid,
        };
        Self::new(exit, error.to_string()).hinted(error.hint())
    }
}

impl From<OpenError<Self>> for Failure {
    fn from(error: OpenError<Self>) -> Self {
        let hint = error.hint();
        match error {
            OpenError::Other(failure) => failure,
            OpenError::Http(error) => error.into(),
            error => Self::new(Exit::Unreachable, error.to_string()).hinted(hint),
        }
    }
}

impl From<OptionsError> for Failure {
    fn from(error: OptionsError) -> Self {
        BridgeError::Options(error).into()
    }
}

impl From<OperationError> for Failure {
    fn from(error: OperationError) -> Self {
        match error {
            OperationError::Arguments(error) => error.into(),
            OperationError::Client { error, hint: None } => error.into(),
            OperationError::Client {
                error,
                hint: Some(hint),
            } => Self::from(error).hint(hint),
        }
    }
}

impl From<ShrinkError> for Failure {
    fn from(error: ShrinkError) -> Self {
        let exit = match error {
            ShrinkError::Roots(error) => return error.into(),
            ShrinkError::Store { .. } => Exit::Invalid,
            ShrinkError::StoreInRoots { .. } => Exit::Usage,
        };
        Self::new(exit, error.to_string()).hinted(error.hint())
    }
}

impl From<ChangeError> for Failure {
    fn from(error: ChangeError) -> Self {
        let exit = if error.is_usage() {
            Exit::Usage
        } else {
            Exit::Invalid
        };
        Self::new(exit, error.to_string()).hint(error.hint())
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        match error {
            ServerError::Target(error) => error.into(),
            ServerError::Options(error) => error.into(),
            error => Self::usage(error.to_string()).hint(error.hint()),
        }
    }
}

impl From<PinsFileError> for Failure {
    fn from(error: PinsFileError) -> Self {
        let exit = if error.is_usage() {
            Exit::Usage
        } else {
            Exit::Invalid
        };
        Self::new(exit, show::on_one_line(&error.to_string())).hint(error.hint())
    }
}

impl From<OpenApiError> for Failure {
    fn from(error: OpenApiError) -> Self {
        let exit = match error {
            OpenApiError::Fetch { .. } => Exit::Unreachable,
            OpenApiError::Status { .. } | OpenApiError::Redirect { .. } => Exit::ServerError,
            OpenApiError::Document { .. } | OpenApiError::Read { .. } => Exit::Invalid,
            _ => Exit::Usage,
        };
        Self::new(exit, show::on_one_line(&error.to_string())).hint(error.hint())
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        ScaffoldError::Name(error).into()
    }
}

impl From<ScaffoldError> for Failure {
    fn from(error: ScaffoldError) -> Self {
        let exit = match error {
            ScaffoldError::Exists(_) | ScaffoldError::Write { .. } => Exit::Invalid,
            _ => Exit::Usage,
        };
        Self::new(exit, show::on_one_line(&error.to_string())).hint(error.hint())
    }
}

impl From<ConductError> for Failure {
    fn from(error: ConductError) -> Self {
        let exit = match error {
            ConductError::DebugFolder { .. } => Exit::Usage,
            ConductError::Output(error) => return error.into(),
            ConductError::Broken(ref broken) => match broken.why {
                BreakReason::NotStarted(_) => Exit::Unreachable,
                BreakReason::Silent(_) => Exit::Timeout,
                BreakReason::Ended(_) | BreakReason::InvalidLines | BreakReason::Stuck => {
                    Exit::Broken
                }
            },
        };
        Self::new(exit, error.to_string()).hinted(error.hint())
    }
}

/// The connection of `linkspan mcp` to its conductor.
impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        let exit = match error {
            ConnectError::NoListener { .. } => Exit::Unreachable,
            ConnectError::NotAPort(_) => Exit::Usage,
            ConnectError::NotTheConductor { .. } | ConnectError::Broken(_) => Exit::Broken,
        };
        Self::new(exit, error.to_string()).hint(error.hint())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let exit = match error {
            ClientError::Fault(fault) => return fault.into(),
            ClientError::NoFirstAnswer { .. } => Exit::Timeout,
            ClientError::Refused { .. } => Exit::ServerError,
            _ => Exit::Broken,
        };
        let failure = Self::new(exit, error.to_string()).hinted(error.hint());
        match error {
            ClientError::Refused {
                data: Some(data), ..
            } => failure.data(data),
            _ => failure,
        }
    }
}
