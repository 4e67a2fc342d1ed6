"""
Lets Holdfast's account log in to this Salt master, by a password in the master's configuration

.. code-block:: yaml

    holdfast:
      password: ...

Unlike ``sharedsecret``, whose password is good for every name, this one is the account's alone.
"""

import hmac

import salt.loader


def auth(username, password):
    """
    Whether this is the account ``holdfast`` with its password
    """
    # Who authenticates with each request instead of a token must not get past it either.
    if "holdfast.get_token" not in salt.loader.eauth_tokens(__opts__):
        return False
    expected = str((__opts__.get("holdfast") or {}).get("password") or "")
    given = hmac.compare_digest(str(password).encode(), expected.encode())
    return username == "holdfast" and expected != "" and given
