"""
Where a master of Salt 3008 or later keeps tokens: in files as ``localfs`` does, and on a master that refuses several
functions in one request, as _tokens/holdfast.py has it. Older masters ask that module itself.
"""

import salt.cache.localfs
import salt.exceptions
import salt.loader


def init_kwargs(kwargs):
    """
    What each function here is called with besides. Every process that checks a token comes by here first
    """
    if "holdfast.get_token" not in salt.loader.eauth_tokens(__opts__):
        raise salt.exceptions.SaltCacheError("_tokens/holdfast.py is not found in module_dirs of the master")
    return {"cachedir": kwargs.get("cachedir") or __opts__["cachedir"]}


def store(bank, key, data, cachedir):
    """
    Stores a token
    """
    return salt.cache.localfs.store(bank, key, data, cachedir)


def fetch(bank, key, cachedir):
    """
    What is stored of a token
    """
    return salt.cache.localfs.fetch(bank, key, cachedir)


def updated(bank, key, cachedir):
    """
    When a token was stored
    """
    return salt.cache.localfs.updated(bank, key, cachedir)


def flush(bank, key=None, cachedir=None):
    """
    Forgets a token
    """
    return salt.cache.localfs.flush(bank, key, cachedir)


def list(bank, cachedir):  # noqa: A001
    """
    All tokens
    """
    return salt.cache.localfs.list_(bank, cachedir)


def contains(bank, key, cachedir):
    """
    Whether a token is stored
    """
    return salt.cache.localfs.contains(bank, key, cachedir)
