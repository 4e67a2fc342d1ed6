import { expect, test } from "vitest";
import { redact } from "./redact.ts";

const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl";

test.each([
  [`got ${token} back`, "got [left out] back"],
  ["authorization: Bearer abcdef123456", "authorization: Bearer [left out]"],
  ["https://admin:hunter2@salt.example:4507/login", "https://[left out]@salt.example:4507/login"],
  ['{"password":"hunter2","eauth":"pam"}', '{"password":"[left out]","eauth":"pam"}'],
  ['{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[left out]\\"}'],
  ["SALT_TOKEN=hunter2 is set", "SALT_TOKEN=[left out] is set"],
  ["-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----", "[left out]"],
  ["Claim data is kept, because pod web uses it.", "Claim data is kept, because pod web uses it."],
])("of %j the secret alone is left out", (text, expected) => expect(redact(text, [])).toBe(expected));

test("values that are known to be secret are left out wherever they stand", () => {
  expect(redact("login as swordfish-1 failed, swordfish is wrong", ["swordfish", "swordfish-1", "as"])).toBe(
    "login as [left out] failed, [left out] is wrong",
  );
});
