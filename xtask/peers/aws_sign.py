"""Signs requests with botocore: a JSON object on each line of stdin, an Authorization header on each of stdout.

An object has `method`, `url` (without a query), `params` (pairs), `headers` (pairs), `body` (text), `service`,
`region`, `id`, `key`, `token` (or null) and `time` (seconds).
"""

import datetime
import json
import sys

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def sign(given: dict) -> str:
    moment = datetime.datetime.fromtimestamp(given["time"], datetime.timezone.utc)
    botocore.auth.get_current_datetime = lambda *_: moment
    params = [tuple(pair) for pair in given["params"]]
    request = AWSRequest(method=given["method"], url=given["url"], params=params, data=given["body"].encode())
    for name, value in given["headers"]:
        request.headers.add_header(name, value)
    credentials = Credentials(given["id"], given["key"], given["token"])
    botocore.auth.SigV4Auth(credentials, given["service"], given["region"]).add_auth(request)
    return request.headers["Authorization"]


for line in sys.stdin:
    print(sign(json.loads(line)))
