import { afterEach, expect, test, vi } from "vitest";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { carryOut, type Failure, failureOf } from "./write.ts";

afterEach(() => vi.unstubAllGlobals());

/** What a person reads after a write that the browser answers so. */
async function failureWith(answer: () => Promise<Response>): Promise<Failure | undefined> {
  vi.stubGlobal("fetch", answer);
  return carryOut({ verb: "delete", kind: Volume, name: "data-1", uid: "u" }).then(() => undefined, failureOf);
}

const unknown = {
  title: "It is not known whether the API server has done this",
  advice: "Look at the object before you try again.",
};

test.each([400, 401, 403, 404, 409, 413, 422, 429])("an answer of %d is a refusal", async (status) => {
  const failure = await failureWith(async () => Response.json({ message: "No." }, { status }));
  expect(failure).toEqual({ title: "The API server refuses this", message: "No." });
});

test.each([408, 500, 502, 503, 504])("after an answer of %d a write may have taken effect", async (status) => {
  const failure = await failureWith(async () => Response.json({ message: "No answer." }, { status }));
  expect(failure).toEqual({ ...unknown, message: "No answer." });
});

test("a write without an answer, or with half of one, may have taken effect", async () => {
  const broken = await failureWith(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(broken).toMatchObject({ ...unknown, message: expect.stringContaining("does not answer") });
  expect(await failureWith(async () => new Response('{"kind":'))).toMatchObject(unknown);
});
