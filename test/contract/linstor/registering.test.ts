import { describe, expect, test } from "vitest";
import { moveNode, registerNode } from "../../../functions/satellite/lib/configuration/commands.ts";
import { linstorNode } from "../../../functions/satellite/lib/linstor/objects.ts";
import { aSatellite, aSeen, now } from "../../../functions/satellite/lib/testing/seen.ts";
import { register } from "../../../functions/satellite/register/rule.ts";
import { exchange } from "./recordings.ts";
import { sent } from "./sent.ts";

const at = undefined;
const address = { name: "default", address: "127.0.0.1", port: 3366, encryption: "Plain" } as const;
const create = registerNode({ at, node: "node-1", address, props: { "Aux/piraeus.io/managed-by": "holdfast" } });

describe("what LINSTOR has answered to registrations", () => {
  test("what is sent is what was recorded, and the witness", async () => {
    const { body } = exchange("node-create", "node-create").request;
    expect(await sent(create, ["node-create", "node-create"])).toEqual([
      { ...(body as object), props: { "Aux/piraeus.io/managed-by": "holdfast" } },
    ]);
  });

  test.each(["node-create-nobody-listens", "node-create-already-exists", "node-create-while-deleting"])(
    "%s: the next look shows it",
    (operation) => expect(sent(create, ["node-create", operation])).resolves.toBeDefined(),
  );

  test("a name that it does not take is refused for good", async () => {
    const call = sent(create, ["node-create", "node-create-invalid-name"]);
    await expect(call).rejects.toMatchObject({ failure: "refused" });
  });

  test("an address is changed as was recorded", async () => {
    const command = moveNode({ at, node: "node-4", address: { ...address, address: "127.0.0.9", port: 3369 } });
    const { body } = exchange("node-net-interface", "net-interface-modify").request;
    expect(await sent(command, ["node-net-interface", "net-interface-modify"])).toEqual([body]);
  });
});

/** What is decided for a node at an address, by LINSTOR's recorded list of nodes; `props` are those of each of them. */
function decide(ip: string, name = "node-1", props: object = {}) {
  const listed = exchange("node-list", "node-list").response.body as object[];
  const satellite = aSatellite({ deleting: false, record: false, metadata: { name } });
  const node = { apiVersion: "v1", kind: "Node", metadata: { name, uid: "n", resourceVersion: "1" } };
  const seen = aSeen({ satellite, leaving: false, node });
  const facts = {
    ...seen,
    addresses: [ip],
    nodes: listed.map((one) => linstorNode.parse({ ...one, props })),
    url: "http://linstor:3370",
  };
  return register.decide(facts, now, register.settings.parse({}))[0];
}

describe("by the nodes that LINSTOR has listed", () => {
  test("one that is ONLINE at the address of its pod is marked as this cluster's, and then Available", () => {
    const witness = { "Aux/piraeus.io/managed-by": "holdfast" };
    expect(decide("127.0.0.1")).toMatchObject({ do: "call", command: { input: { changes: { set: witness } } } });
    expect(JSON.stringify(decide("127.0.0.1", "node-1", witness))).toContain('"status":"True"');
  });
  test("one that is ONLINE elsewhere is not moved", () =>
    expect(decide("127.0.0.2")).toMatchObject({ do: "write", step: { name: "refused" } }));
  test("a new one is not registered with an address that another has", () => {
    expect(decide("127.0.0.1", "node-new")).toMatchObject({ do: "write", step: { name: "refused" } });
    expect(decide("127.0.0.2", "node-new")).toMatchObject({ do: "call", command: { name: "register a node" } });
  });
});
