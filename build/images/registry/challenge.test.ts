import fc from "fast-check";
import { expect, test } from "vitest";
import { parseChallenges } from "./challenge.ts";

const challenge = (scheme: string, parameters = {}) => ({ scheme, parameters });
const atDocker = {
  realm: "https://auth.docker.io/token",
  service: "registry.docker.io",
  scope: "repository:a/b:pull,push",
};
test.each([
  ['Basic realm="registry"', [challenge("basic", { realm: "registry" })]],
  [
    'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push"',
    [challenge("bearer", atDocker)],
  ],
  [
    'Negotiate, Basic realm="a, \\"b\\"", bearer Realm = c , error="x"',
    [challenge("negotiate"), challenge("basic", { realm: 'a, "b"' }), challenge("bearer", { realm: "c", error: "x" })],
  ],
  ["Negotiate YII+/=, Basic realm=a", [challenge("negotiate"), challenge("basic", { realm: "a" })]],
  ["", []],
  ['="', []],
])("%s", (header, challenges) => expect(parseChallenges(header)).toEqual(challenges));

test("what is written as a challenge is read as it was meant, and nothing makes the reader fail or hang", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
  const parameters = fc.dictionary(
    name,
    fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "")),
    {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    },
  );
  const challenges = fc.array(fc.record({ scheme: name, parameters }), { maxLength: 3 });
  const quote = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
  fc.assert(
    fc.property(challenges, (wanted) => {
      const header = wanted
        .map(({ scheme, parameters }) => {
          const pairs = Object.entries(parameters).map(([key, value]) => `${key}=${quote(value)}`);
          return `${scheme} ${pairs.join(", ")}`;
        })
        .join(", ");
      expect(parseChallenges(header)).toEqual(wanted);
    }),
  );
  fc.assert(fc.property(fc.string(), (header) => Array.isArray(parseChallenges(header))));
});
