import { describe, expect, test } from "vitest";
import { virtualClock } from "../../../local/time/virtual-clock.ts";
import { SettingsError } from "../../settings.ts";
import { guarded } from "./guard.ts";
import { readOidcSettings } from "./settings.ts";

const taken = { status: 204, headers: {}, body: "" };
const handle = async () => taken;
const warned: string[] = [];
const tools = {
  client: () => Promise.reject(new Error("nobody may ask")),
  clock: virtualClock(),
  log: { debug() {}, info() {}, warn: (_: object, sentence: string) => void warned.push(sentence), error() {} },
};

test("without an audience a function is served as it is", () => {
  expect(guarded(handle, tools, {})).toBe(handle);
});

test("with one, an event without a token is refused in a sentence that is logged", async () => {
  const guard = guarded(handle, tools, { OIDC_AUDIENCE: "a", OIDC_SENDERS: "b" });
  const { status, headers, body } = await guard({ headers: {}, body: "" });
  expect([status, body]).toEqual([401, "The event is refused, because no token came with it."]);
  expect(headers["content-type"]).toContain("text/plain");
  expect(warned).toEqual([body]);
});

describe("settings", () => {
  test("are an audience and its senders", () => {
    expect(readOidcSettings({ OIDC_AUDIENCE: "a", OIDC_SENDERS: "system:serviceaccount:n:*, b" })).toEqual({
      audience: "a",
      senders: ["system:serviceaccount:n:*", "b"],
    });
    expect(readOidcSettings({ OIDC_AUDIENCE: "", OIDC_SENDERS: "" })).toBeUndefined();
  });

  test.each([
    [{ OIDC_AUDIENCE: "a" }, "OIDC_SENDERS is empty"],
    [{ OIDC_SENDERS: "a" }, "OIDC_AUDIENCE is empty"],
    [{ OIDC_AUDIENCE: "a", OIDC_SENDERS: "*" }, 'OIDC_SENDERS has "*"'],
    [{ OIDC_AUDIENCE: "a", OIDC_SENDERS: "a,b*c" }, 'OIDC_SENDERS has "b*c"'],
  ])("that leave a gap are refused: %j", (environment, words) => {
    expect(() => readOidcSettings(environment)).toThrow(SettingsError);
    expect(() => readOidcSettings(environment)).toThrow(words);
  });
});
