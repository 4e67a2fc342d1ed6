import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { readManifests } from "../../eventing/read-manifests.ts";
import { slug } from "../../shared/rule.ts";
import { attemptsOf } from "../contract/forged-attempts.ts";
import { grant, grantsOf } from "../manifests/grants.ts";

const root = join(import.meta.dirname, "../..");
const functions = await loadDeclared(root);
const files = globSync("knative/{access,overlays}/**/*.yaml", { cwd: root, exclude: ["**/kustomization.yaml"] });
const objects = readManifests(files.map((file) => join(root, file))).map(({ object }) => object);

interface Binding {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

/** What each account may write by its roles, in all overlays: `account: verb group/resource`. */
const granted = objects
  .filter(({ kind }) => kind === "RoleBinding" || kind === "ClusterRoleBinding")
  .flatMap((binding) => {
    const { roleRef, subjects = [] } = binding as unknown as Binding;
    const role = objects.find(({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name);
    const writes = grantsOf(role as never).filter((one) => !/^(get|list|watch) /.test(one));
    return subjects.flatMap(({ name }) => writes.map((write) => `${name}: ${write}`));
  });

test("the API contract has a forged attempt for each right to write that an account is granted", () => {
  const attempts = functions.flatMap((one) => attemptsOf(one, "test"));
  const of = (isForged: boolean) =>
    new Set(
      attempts
        .filter(({ refusal }) => (refusal !== undefined) === isForged)
        .map(({ account, kind, verb, subresource }) => `${slug(account)}: ${grant(kind, verb, subresource)}`),
    );
  const ours = granted.filter((one) => functions.some(({ name }) => one.startsWith(`${slug(name)}: `)));
  expect(new Set(ours.map((one) => one.split(":")[0])).size).toBeGreaterThanOrEqual(49);
  expect([...new Set(ours)].filter((one) => !of(true).has(one))).toEqual([]);
  // What is refused altogether would pass: each right is used as it is meant, too.
  expect([...new Set(ours)].filter((one) => !of(false).has(one))).toEqual([]);
});
