"""A second authorization server, canaille: `python canaille_as.py` prints its issuer when it is ready.

It has dynamic registration and opaque tokens, checks neither resource indicators nor DPoP, and asks for the name,
the password and the consent of a person on three pages. The person is `ada`.
"""

import secrets
import socket

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    address = probe.getsockname()

server_name = f"{address[0]}:{address[1]}"
app = create_app(
    {
        "SECRET_KEY": secrets.token_hex(16),
        "SERVER_NAME": server_name,
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "ENABLE_REGISTRATION": False},
        "CANAILLE_OIDC": {
            "ACTIVE_JWKS": [RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True)],
            "DYNAMIC_CLIENT_REGISTRATION_OPEN": True,
            # A nonce belongs to ID tokens, which are of no use to an MCP client.
            "REQUIRE_NONCE": False,
            # Otherwise clients on this machine need no consent.
            "TRUSTED_DOMAINS": [],
        },
    }
)
with app.app_context(), Backend.instance.session():
    person = models.User(
        formatted_name="Ada", family_name="Lovelace", user_name="ada", emails=["ada@example.com"], password="correct horse"
    )
    Backend.instance.save(person)

server = make_server(*address, app, threaded=True)
print(f"http://{server_name}", flush=True)
server.serve_forever()
