# What the scripts in `server.d` find when linkspan reads them: `bash -c THIS linkspan MODE SCRIPT …`.
#
# Everything that is meant for linkspan goes to descriptor 8, as pairs of texts that end with NUL. What a
# script prints itself goes elsewhere. Works with bash 3.2.

exec 8>&1

__linkspan_say() { printf '%s\0%s\0' "$1" "$2" >&8; }

# --- Logging: to stderr, which linkspan keeps for its log.

__linkspan_log() { printf '%s: %s: %s\n' "$1" "${2:-server.d}" "${3:-}" >&2; }
mcp_logging_debug() { [ "${MCPBASH_LOG_LEVEL:-info}" != debug ] || __linkspan_log debug "$@"; }
mcp_logging_info() { __linkspan_log info "$@"; }
mcp_logging_warning() { __linkspan_log warning "$@"; }
mcp_logging_error() { __linkspan_log error "$@"; }
mcp_logging_is_enabled() { [ "$1" != debug ] || [ "${MCPBASH_LOG_LEVEL:-info}" = debug ]; }
mcp_logging_verbose_enabled() { [ "${MCPBASH_LOG_VERBOSE:-}" = true ]; }
mcp_runtime_is_minimal_mode() { [ "${MCPBASH_FORCE_MINIMAL:-}" = true ]; }

# --- JSON.

__linkspan_jq() { "${MCPBASH_JSON_TOOL_BIN:-jq}" "$@"; }
mcp_json_quote_text() { __linkspan_jq -n --arg text "${1:-}" '$text'; }
mcp_json_escape_string() { mcp_json_quote_text "$@"; }
mcp_json_has_key() { printf '%s' "$1" | __linkspan_jq -e --arg key "$2" 'has($key)' >/dev/null 2>&1; }
mcp_json_extract_optional() {
	local found
	if found="$(printf '%s' "$1" | __linkspan_jq "${2:--r}" "$3" 2>/dev/null)"; then
		printf '%s' "${found}"
	else
		printf '%s' "${4:-}"
	fi
}
mcp_json_extract_required() {
	printf '%s' "$1" | __linkspan_jq "${2:--r}" "$3" 2>/dev/null
}
mcp_json_extract_file_required() {
	__linkspan_jq "${2:--r}" "$3" "$1" 2>/dev/null
}

# --- Registration.

__linkspan_register() { [ -z "${2:-}" ] || __linkspan_say "$1" "$2"; }

mcp_register_tool() { __linkspan_register tools "${1:-}"; }
mcp_register_resource() { __linkspan_register resources "${1:-}"; }
mcp_register_resource_template() { __linkspan_register resourceTemplates "${1:-}"; }
mcp_register_prompt() { __linkspan_register prompts "${1:-}"; }
mcp_register_completion() { __linkspan_register completions "${1:-}"; }

mcp_tools_register_manual() { mcp_register_tool "$@"; }
mcp_resources_register_manual() { mcp_register_resource "$@"; }
mcp_resources_templates_register_manual() { mcp_register_resource_template "$@"; }
mcp_prompts_register_manual() { mcp_register_prompt "$@"; }
mcp_completion_register_manual() { mcp_register_completion "$@"; }

mcp_tools_manual_begin() { __linkspan_say begin tools; }
mcp_resources_manual_begin() { __linkspan_say begin resources; }
mcp_resources_templates_manual_begin() { __linkspan_say begin resourceTemplates; }
mcp_prompts_manual_begin() { __linkspan_say begin prompts; }
mcp_completion_manual_begin() { __linkspan_say begin completions; }

mcp_tools_manual_abort() { mcp_tools_manual_begin; }
mcp_resources_manual_abort() { mcp_resources_manual_begin; }
mcp_resources_templates_manual_abort() { mcp_resources_templates_manual_begin; }
mcp_prompts_manual_abort() { mcp_prompts_manual_begin; }
mcp_completion_manual_abort() { mcp_completion_manual_begin; }

mcp_tools_manual_finalize() { __linkspan_say done tools; }
mcp_resources_manual_finalize() { __linkspan_say done resources; }
mcp_resources_templates_manual_finalize() { __linkspan_say done resourceTemplates; }
mcp_prompts_manual_finalize() { __linkspan_say done prompts; }
mcp_completion_manual_finalize() { __linkspan_say done completions; }

# --- Policy.

_MCP_TOOLS_ERROR_CODE=0
_MCP_TOOLS_ERROR_MESSAGE=''
_MCP_TOOLS_ERROR_DATA=''

mcp_tools_error() {
	_MCP_TOOLS_ERROR_CODE="$1"
	_MCP_TOOLS_ERROR_MESSAGE="$2"
	_MCP_TOOLS_ERROR_DATA="${3:-}"
}

# Whether the list of tools that may be called has this one in it.
__linkspan_allows() {
	local list="${MCPBASH_TOOL_ALLOWLIST:-}" entry
	if [ -z "${list}" ]; then
		case "${MCPBASH_TOOL_ALLOW_DEFAULT:-deny}" in
		allow | all) return 0 ;;
		*) return 1 ;;
		esac
	fi
	set -f
	for entry in ${list//,/ }; do
		if [ "${entry}" = '*' ] || [ "${entry}" = all ] || [ "${entry}" = "$1" ]; then
			set +f
			return 0
		fi
	done
	set +f
	return 1
}

mcp_tools_policy_check_default() {
	if ! __linkspan_allows "$1"; then
		# linkspan knows how to say it.
		mcp_tools_error 0 default
		return 1
	fi
	if [ "${LINKSPAN_PATH_TRUSTED:-1}" != 1 ]; then
		mcp_tools_error 0 path
		return 1
	fi
	return 0
}
mcp_tools_policy_check() { mcp_tools_policy_check_default "$@"; }
mcp_tools_policy_init() { return 0; }

# --- Health.

mcp_health_check_command() {
	if command -v "$1" >/dev/null 2>&1; then
		printf '  ok: %s\n' "${2:-command $1}" >&2
		return 0
	fi
	printf '  missing: %s (not in PATH)\n' "${2:-command $1}" >&2
	return 1
}
mcp_health_check_env() {
	if [ -n "${!1:-}" ]; then
		printf '  ok: %s\n' "${2:-variable $1}" >&2
		return 0
	fi
	printf '  missing: %s (not set)\n' "${2:-variable $1}" >&2
	return 1
}

# --- What is to be done.

__linkspan_script="$2"
case "$1" in
register)
	__linkspan_printed="$(. "${__linkspan_script}")"
	__linkspan_status=$?
	__linkspan_say printed "${__linkspan_printed}"
	__linkspan_say status "${__linkspan_status}"
	;;
policy)
	__linkspan_tool="$3"
	__linkspan_metadata="$(cat)"
	. "${__linkspan_script}" >&2 </dev/null || {
		__linkspan_say broken "policy.sh ended with status $?"
		exit 0
	}
	if mcp_tools_policy_check "${__linkspan_tool}" "${__linkspan_metadata}" >&2 </dev/null; then
		__linkspan_say verdict yes
	else
		__linkspan_say code "${_MCP_TOOLS_ERROR_CODE}"
		__linkspan_say message "${_MCP_TOOLS_ERROR_MESSAGE}"
		__linkspan_say data "${_MCP_TOOLS_ERROR_DATA}"
		__linkspan_say verdict no
	fi
	__linkspan_say mode "${MCPBASH_TOOL_ENV_MODE:-}"
	__linkspan_say allow "${MCPBASH_TOOL_ENV_ALLOWLIST:-}"
	;;
health)
	(. "${__linkspan_script}") >&2 </dev/null
	__linkspan_say status "$?"
	;;
environment)
	# Only what the files set: the variables afterwards.
	shift
	for __linkspan_file in "$@"; do
		bash -n "${__linkspan_file}" || exit 1
		. "${__linkspan_file}" >&2 </dev/null || exit $?
	done
	for __linkspan_name in $(compgen -v); do
		case "${__linkspan_name}" in
		__linkspan_* | BASH* | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | HIST* | IFS | LINENO | MACHTYPE | \
			OPT* | OSTYPE | PIPESTATUS | PPID | PS4 | RANDOM | SECONDS | SHELLOPTS | SHLVL | SRANDOM | UID | _) ;;
		*) __linkspan_say "${__linkspan_name}" "${!__linkspan_name-}" ;;
		esac
	done
	;;
esac
