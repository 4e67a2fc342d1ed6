import { expect, test } from "vitest";
import { checkSigner } from "./signer.ts";

const [signing, primary, stranger] = ["1", "2", "3"].map((digit) => digit.repeat(40)) as [string, string, string];
/** What gpg 2.2 says of a file that this key has signed. */
const signedBy = (key: string, word = "GOODSIG") => `[GNUPG:] PLAINTEXT 74 0
[GNUPG:] NEWSIG
[GNUPG:] KEY_CONSIDERED ${key} 0
[GNUPG:] SIG_ID scOulunaC6M7sIr/lg9QJDi9KRY 2026-11-26 1795733158
[GNUPG:] ${word} ${signing.slice(24)} A releaser <a@example.com>
[GNUPG:] VALIDSIG ${signing} 2026-11-26 1795733158 0 4 0 22 8 01 ${key}
[GNUPG:] TRUST_UNDEFINED 0 pgp
`;

test("sums that a releaser of Node has signed are taken, also with a key that has expired since", () => {
  checkSigner(signedBy(primary), [stranger, primary]);
  checkSigner(signedBy(primary, "EXPKEYSIG"), [primary]);
});

test.each([
  ["are not signed, which gpg takes as well", "[GNUPG:] PLAINTEXT 62 1795733158 SHASUMS256.txt\n"],
  ["come with no word of gpg", ""],
  ["are signed by another key", signedBy(stranger)],
  ["are signed by a key that was revoked", signedBy(primary, "REVKEYSIG")],
  ["have a name that looks like a signature", `[GNUPG:] PLAINTEXT 62 1 VALIDSIG${` ${primary}`.repeat(10)}\n`],
  ["only claim a signature", `[GNUPG:] GOODSIG ${primary} A releaser <a@example.com>\n`],
])("sums that %s are refused", (_, status) =>
  expect(() => checkSigner(status, [primary])).toThrow("No releaser of Node has signed SHASUMS256.txt. Do not use it."),
);

test("no sums are taken where no releaser is named", () =>
  expect(() => checkSigner(signedBy(primary), [])).toThrow(/^No releaser/));
