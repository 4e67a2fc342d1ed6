import fc from "fast-check";
import { expect, test } from "vitest";
import { longestReply } from "../../shared/outcome.ts";
import { functions } from "../harness/functions.ts";
import { eventsOf } from "./damage.ts";
import { give, odd, triggering } from "./world.ts";

/** 500 is not among them: it would be a defect of the function. */
const statuses = [204, 400, 403, 413, 415, 503];

test.each(Object.keys(functions))(
  "%s answers any request with a status of its contract, and no finalizer is lost",
  async (name) => {
    const given = fc.tuple(triggering.chain(eventsOf), odd);
    await fc.assert(
      fc.asyncProperty(given, async ([request, odd]) => {
        const { reply, used, finalizers } = await give(name, request, odd);
        expect(statuses, reply.body).toContain(reply.status);
        if (reply.status === 204) expect(reply.body).toBe("");
        else expect(reply.body).toMatch(/[.!?:]$|…$/);
        expect(reply.body).not.toMatch(/\n\s+at |TypeError|undefined/);
        expect(Buffer.byteLength(reply.body)).toBeLessThanOrEqual(longestReply);
        expect(used, "the claim in use has lost a finalizer").toBe(true);
        expect(finalizers ?? []).toEqual(odd.finalizers);
      }),
      { numRuns: 100 },
    );
  },
);
