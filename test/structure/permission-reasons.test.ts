import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import type { Permission } from "../../shared/declaration.ts";
import { groupOf } from "../../shared/kubernetes/kind.ts";

const declared = await loadDeclared(join(import.meta.dirname, "../.."));
const permissions = declared.flatMap(({ name, permissions }) =>
  permissions.map((permission) => ({ name, right: `${name}: ${rightOf(permission)}`, ...permission })),
);

function rightOf({ resource, subresource, verbs }: Permission): string {
  return `${verbs.join(", ")} ${resource.kind}${subresource ? `/${subresource}` : ""}`;
}

/** What a rule does alike with several kinds of one other project, such as Yaook's agents. */
const isAlike = (one: Permission, other: Permission) =>
  one.verbs.join() === other.verbs.join() &&
  one.subresource === other.subresource &&
  domainOf(one) !== "" &&
  domainOf(one) === domainOf(other);

const domainOf = ({ resource }: Permission) => groupOf(resource).split(".").slice(-2).join(".");

test("each permission says why it is needed, as a clause that begins with `to ` and ends without a full stop", () => {
  expect(permissions.length).toBeGreaterThan(200);
  const bare = permissions.filter(({ why = "" }) => !/^to [a-z]/.test(why) || /[.;]$|\s{2}/.test(why));
  const short = permissions.filter(({ why = "" }) => why.split(" ").length < 3);
  expect([...bare, ...short].map(({ right }) => `${right} says no reason: write \`why: "to ..."\``)).toEqual([]);
});

test("a reason says what the right is for, and is no filler", () => {
  const filler = /\b(needed|required|necessary|the rule|its work|its job|permission)\b/;
  expect(permissions.filter(({ why = "" }) => filler.test(why)).map(({ right, why }) => `${right}: ${why}`)).toEqual(
    [],
  );
});

test("two different rights of one function have different reasons, unless they are of one resource", () => {
  const shared = declared.flatMap(({ name, permissions }) =>
    permissions.flatMap((one, index) =>
      permissions
        .slice(index + 1)
        .filter((other) => one.why === other.why && one.resource.kind !== other.resource.kind && !isAlike(one, other))
        .map((other) => `${name}: ${rightOf(one)} and ${rightOf(other)} have one reason: ${one.why}`),
    ),
  );
  expect(shared).toEqual([]);
});

test("what a function may write is more than what it may look at, and the reason says what is written", () => {
  const looks = /^to (see|look at|find|read)\b(?!.*\b(and|or) to\b)/;
  const silent = permissions.filter(
    ({ verbs, subresource, why = "" }) =>
      (subresource || verbs.some((verb) => verb !== "get" && verb !== "list")) && looks.test(why),
  );
  expect(silent.map(({ right, why }) => `${right}: ${why}`)).toEqual([]);
});
