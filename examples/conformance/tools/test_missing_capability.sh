#!/bin/sh
#: description: Refuses clients that do not declare sampling
case " $MCP_CAPABILITIES " in
*" sampling "*)
	echo "The client can sample."
	exit
	;;
esac
# The call ends with this error instead of a result.
cat >&3 <<'END'
{"method":"error","params":{"code":-32021,"message":"Missing required client capability: sampling","data":{"requiredCapabilities":{"sampling":{}}}}}
END
exit 1
