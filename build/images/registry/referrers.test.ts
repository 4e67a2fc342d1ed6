import { expect, test } from "vitest";
import { jsonContent } from "../oci/content.ts";
import { mediaTypes } from "../oci/descriptor.ts";
import { attachment } from "../oci/image.ts";
import { fakeRegistry, surroundedBy } from "../testing/fake-registry.ts";
import { attach } from "./referrers.ts";
import { connect } from "./registry.ts";

const subject = jsonContent({ an: "index" }, mediaTypes.index).descriptor;
const bill = attachment(subject, jsonContent({ a: "bill" }, "application/spdx+json"), {});
const statement = attachment(subject, jsonContent({ a: "statement" }, "application/vnd.in-toto+json"), { a: "b" });
const tag = subject.digest.replace(":", "-");

async function attachTo(registry: ReturnType<typeof fakeRegistry>, ...artifacts: (typeof bill)[]) {
  const connection = await connect({ host: "registry.test", path: "a/b" }, "pull,push", surroundedBy(registry));
  for (const artifact of artifacts) await attach(connection, artifact);
}

test("a registry that keeps lists of what refers to what gets the artifact, and no list of ours", async () => {
  const registry = fakeRegistry({ referrers: true });
  await attachTo(registry, bill, statement);
  expect([...registry.manifests.keys()].sort()).toEqual(
    [bill, statement].map(({ manifest }) => manifest.descriptor.digest).sort(),
  );
});

test("another gets a list under a tag, which is added to, and has nothing twice", async () => {
  const registry = fakeRegistry();
  await attachTo(registry, bill, statement, bill);
  const { bytes, type } = registry.manifests.get(tag)!;
  expect(type).toBe(mediaTypes.index);
  expect(JSON.parse(bytes.toString()).manifests).toEqual([
    { ...bill.manifest.descriptor, artifactType: "application/spdx+json", annotations: {} },
    { ...statement.manifest.descriptor, artifactType: "application/vnd.in-toto+json", annotations: { a: "b" } },
  ]);
});
