"""
Tokens of ``localfs``, on a master that refuses several functions in one request

Salt compares such a request with the rights of an account function by function, and lets all of it run as soon as one
of them is allowed; ``saltutil.find_job`` always is. Whoever could log in could so run ``cmd.run`` on every minion (seen
with Salt 3008.3). Every request with a token asks this module for it first, and so has Salt's check replaced before it
is made. Root on the master is not checked by Salt, and may go on naming several functions.
"""

import functools

import salt.tokens.localfs
import salt.utils.minions


def _one_at_a_time(check):
    @functools.wraps(check)
    def auth_check(self, auth_list, funs, *arguments, **named):
        return isinstance(funs, str) and check(self, auth_list, funs, *arguments, **named)

    auth_check.one_at_a_time = True
    return auth_check


if not hasattr(salt.utils.minions.CkMinions.auth_check, "one_at_a_time"):
    salt.utils.minions.CkMinions.auth_check = _one_at_a_time(salt.utils.minions.CkMinions.auth_check)


def mk_token(opts, tdata):
    """
    Stores a token
    """
    return salt.tokens.localfs.mk_token(opts, tdata)


def get_token(opts, tok):
    """
    What is stored of a token
    """
    return salt.tokens.localfs.get_token(opts, tok)


def rm_token(opts, tok):
    """
    Forgets a token
    """
    return salt.tokens.localfs.rm_token(opts, tok)


def list_tokens(opts):
    """
    All tokens
    """
    return salt.tokens.localfs.list_tokens(opts)
