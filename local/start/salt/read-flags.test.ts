import { expect, test } from "vitest";
import { readSaltFlags } from "./read-flags.ts";

const environment = { SALT_PASSWORD: "secret" };
const salt = "https://salt-master:4507/";

test("without --salt there is a stand-in", () => expect(readSaltFlags({}, environment)).toBeUndefined());

test("the account is the functions' usual one, or what flags or else the environment say", () => {
  const url = "https://salt-master:4507";
  const password = { text: "secret" };
  expect(readSaltFlags({ salt }, environment)).toEqual({ url, username: "holdfast", eauth: "holdfast", password });
  const theirs = { ...environment, SALT_USERNAME: "theirs", SALT_EAUTH: "pam" };
  expect(readSaltFlags({ salt }, theirs)).toMatchObject({ username: "theirs", eauth: "pam" });
  const flags = {
    "salt-user": "mine",
    "salt-eauth": "ldap",
    "salt-password-file": "/p",
    "salt-ca": "/c",
    minion: "w-0",
  };
  expect(readSaltFlags({ salt, ...flags }, theirs)).toEqual({
    url,
    username: "mine",
    eauth: "ldap",
    password: { file: "/p" },
    authorityFile: "/c",
    minion: "w-0",
  });
});

test.each([
  [{ "salt-user": "a" }, "--salt-user goes with --salt URL."],
  [{ salt: "" }, "--salt needs a value."],
  [{ salt: "salt-master:4507" }, /^--salt takes the root of salt-api, for example https:.*, not "salt-master:4507"\.$/],
  [{ salt: "https://a/b" }, /^--salt takes the root of salt-api/],
  [{ salt: "http://a", "salt-ca": "/c" }, "--salt-ca is for a URL that begins with https."],
  [{ salt, minion: "*" }, '--minion takes the id of a minion, which is a node\'s name too, not "*".'],
])("%j is answered in a sentence", (values, sentence) =>
  expect(() => readSaltFlags(values, environment)).toThrow(sentence),
);

test("without a password nothing is tried", () => {
  expect(() => readSaltFlags({ salt }, {})).toThrow(
    "Put the password of the Salt account into a file for --salt-password-file, or in SALT_PASSWORD.",
  );
});
