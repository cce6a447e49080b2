# Asks the client on the control channel, fd 3: one line there, one line back.
#
# Sourced by the tools that ask in sh. What was answered is in $answer, as JSON.

say() {
	printf '%s\n' "$1" >&3
}

ask() {
	say "$1"
	hear
}

hear() {
	read -r answer <&3 || exit 1
	case $answer in
	*'"error":'*)
		echo "the client did not answer: $answer" >&2
		exit 1
		;;
	esac
}

# The text of a member of $answer; enough for what the fixtures ask.
member() {
	value=${answer#*"\"$1\":\""}
	printf '%s' "${value%%\"*}"
}
