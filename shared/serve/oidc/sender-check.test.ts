import { describe, expect, test } from "vitest";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { SettingsError } from "../../settings.ts";
import { senderCheck } from "./sender-check.ts";
import { readOidcSettings } from "./settings.ts";

const warned: string[] = [];
const tools = {
  client: () => Promise.reject(new Error("the API server must not be asked")),
  clock: virtualClock(),
  log: { debug() {}, info() {}, warn: (_: object, sentence: string) => void warned.push(sentence), error() {} },
};

test("without an audience no sender is checked", () => expect(senderCheck(tools, {})).toBeUndefined());

test("with one, an event without a token is refused in a sentence that is logged", async () => {
  const check = senderCheck(tools, { OIDC_AUDIENCE: "a", OIDC_SENDERS: "b" });
  const body = "The event is refused, because no token came with it.";
  expect(await check?.({})).toEqual({
    status: 401,
    headers: { "content-type": expect.stringContaining("text/plain") },
    body,
  });
  expect(warned).toEqual([body]);
});

describe("settings", () => {
  test("are an audience and its senders", () => {
    expect(readOidcSettings({ OIDC_AUDIENCE: "a", OIDC_SENDERS: "system:serviceaccount:n:*, b" })).toEqual({
      audience: "a",
      senders: ["system:serviceaccount:n:*", "b"],
    });
    expect(readOidcSettings({ OIDC_AUDIENCE: "", OIDC_SENDERS: "" })).toBeUndefined();
    const added = { OIDC_AUDIENCE: "a", OIDC_SENDERS: "b", OIDC_MORE_SENDERS: "c, d" };
    expect(readOidcSettings(added)?.senders).toEqual(["b", "c", "d"]);
  });

  test.each([
    [{ OIDC_AUDIENCE: "a" }, "OIDC_SENDERS is empty"],
    [{ OIDC_SENDERS: "a" }, "OIDC_AUDIENCE is empty"],
    [{ OIDC_MORE_SENDERS: "a" }, "OIDC_AUDIENCE is empty"],
    [{ OIDC_AUDIENCE: "a", OIDC_SENDERS: "*" }, 'OIDC_SENDERS or OIDC_MORE_SENDERS has "*"'],
    [{ OIDC_AUDIENCE: "a", OIDC_SENDERS: "a,b*c" }, 'OIDC_SENDERS or OIDC_MORE_SENDERS has "b*c"'],
    [{ OIDC_AUDIENCE: "a", OIDC_SENDERS: "a", OIDC_MORE_SENDERS: "*" }, 'OIDC_SENDERS or OIDC_MORE_SENDERS has "*"'],
  ])("that leave a gap are refused: %j", (environment, words) => {
    expect(() => readOidcSettings(environment)).toThrow(SettingsError);
    expect(() => readOidcSettings(environment)).toThrow(words);
  });
});
