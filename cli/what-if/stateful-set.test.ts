import { expect, test } from "vitest";
import { claimOf, followed, noted, uidOfSet } from "../../functions/pvc-retention/lib/testing/objects.ts";
import { setOwner } from "../../functions/pvc-retention/set-owner/rule.ts";
import { syncPolicy } from "../../functions/pvc-retention/sync-policy/rule.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { ifSetDeleted } from "./stateful-set.ts";

test("a set whose policy has just changed to delete takes its claims without a pod along, too", async () => {
  const deletes = "DeleteOnStatefulSetDeletionOnly";
  const set = followed({ policy: deletes }, "Retain");
  const claim = noted(claimOf(5), setOwner.name, "used", { set: uidOfSet, labels: "match" });
  const client = {
    get: async ({ kind }: Kind) => (kind === "StatefulSet" ? set : undefined),
    async *list({ kind }: Kind) {
      if (kind === "PersistentVolumeClaim") yield claim;
    },
  } as unknown as Client;
  const installed = [syncPolicy, setOwner].map((rule) => ({ rule, environment: {} }));
  const { claims } = await ifSetDeleted(client, set, { installed, all: [], kinds: [], isGuess: false });
  expect(claims.map(({ goes }) => goes)).toEqual([true]);
});
