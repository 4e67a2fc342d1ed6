"""
Tokens of ``localfs``, on a master that refuses what would get around the rights of an account

Salt compares a request of several functions with these rights function by function, and lets all of it run as soon as
one of them is allowed; ``saltutil.find_job`` always is. So anyone with a login could run ``cmd.run`` on every minion.
And a minion writes the file in its cache that a request's job id names, and removes it when the job has ended: an id
that is a path destroyed any file of a node (both seen with Salt 3008.3). A minion hands what a function returns to the
returner that a request names, with the settings that the request gives: several returners of Salt's own write any file
as root, and ``highstate`` also calls any function. Every request with a token asks this module for it first, and so has
Salt's functions replaced before they are called. Root on the master is not checked by Salt, and may go on sending all
of these.
"""

import functools
import re

import salt.master
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


# Executors choose how long a job runs, and what runs it; a returner, where its result is written.
_REFUSED = ("module_executors", "executor_opts", "ret_config", "ret_kwargs", "master_id")


def _of_digits(prepare):
    @functools.wraps(prepare)
    def _prep_jid(self, clear_load, extra):
        jid = clear_load.get("jid")
        # Salt itself names the external job cache, where the master has one.
        own_returner = self.opts.get("ext_job_cache") or ""
        is_plain = not any(extra.get(name) for name in _REFUSED) and clear_load.get("ret") in (None, "", own_returner)
        if jid:
            is_plain = is_plain and isinstance(jid, str) and re.fullmatch(r"[0-9]{20}", jid)
        if is_plain or not ("token" in extra or "eauth" in extra):
            return prepare(self, clear_load, extra)
        return {"error": {"name": "AuthorizationError", "message": "Authorization error occurred."}}

    _prep_jid.of_digits = True
    return _prep_jid


if not hasattr(salt.master.ClearFuncs._prep_jid, "of_digits"):
    salt.master.ClearFuncs._prep_jid = _of_digits(salt.master.ClearFuncs._prep_jid)


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
