import { changedLabel } from "../../functions/satellite/lib/matching/candidate.ts";
import type { Bound, DeclaredWrites } from "../../shared/declared-writes.ts";
import { Event, groupOf, type Kind, Node } from "../../shared/kubernetes/kind.ts";
import { progressWrites } from "../../shared/pipeline/hold-to-declared.ts";
import { slug } from "../../shared/rule.ts";
import { variableOf } from "../../shared/settings.ts";
import { type Declared, systemOf } from "./declared.ts";
import { clusterWide, labelsOf } from "./metadata.ts";
import { type Setting, settingsOf } from "./settings.ts";

/** What a function may write of one kind. */
interface KindWrites {
  readonly resource: Kind;
  readonly verbs: ReadonlySet<Bound["on"][number]>;
  /** Absent where the function may patch none, or has not declared what. */
  readonly writes?: readonly DeclaredWrites[];
  readonly bounds: readonly Bound[];
  /** The setting that names one of its finalizers. */
  readonly chosen?: Setting | undefined;
}

/** What a function may write, kind by kind: what the API server holds its account to. */
function writesByKind(declared: Declared): readonly KindWrites[] {
  const writing = declared.permissions.filter(({ subresource, verbs }) => !subresource && verbs.some(isWrite));
  return [...Map.groupBy(writing, ({ resource }) => `${groupOf(resource)}/${resource.plural}`).values()].map((of) => {
    const { resource } = of[0] as (typeof of)[number];
    const declaredWrites = of.flatMap(({ writes }) => writes ?? []);
    const verbs = new Set(of.flatMap(({ verbs }) => verbs.filter(isWrite)));
    const bounds = [...of.flatMap(({ bounds }) => bounds ?? []), ...(resource === Event ? eventBounds(declared) : [])];
    const variable = of.flatMap(({ finalizerSetting }) => (finalizerSetting ? [variableOf(finalizerSetting)] : []))[0];
    const chosen = settingsOf(declared).find((setting) => setting.variable === variable);
    return { resource, verbs, bounds, chosen, ...(declaredWrites.length > 0 ? { writes: declaredWrites } : {}) };
  });
}

const isWrite = (verb: string): verb is Bound["on"][number] => ["create", "patch", "delete"].includes(verb);

/** Events as `recordEvent` makes them; those of other rules of the system are cleared, too. */
const eventBounds = (declared: Declared): readonly Bound[] => [
  {
    on: ["create"],
    says: "records Events as its own",
    cel: `object.?reportingController.orValue("") == "holdfast.dev/${slug(declared.name)}"`,
  },
  {
    on: ["delete"],
    says: "deletes Events of its own system",
    cel: `oldObject.?reportingController.orValue("").startsWith("holdfast.dev/${systemOf(declared)}-")`,
  },
];

const group = "admissionregistration.k8s.io";
const operations = { create: "CREATE", patch: "UPDATE", delete: "DELETE" } as const;

/**
 * The policy that holds a function's account to what the function declares, and its binding; none where it writes
 * nothing. The account is known by its name, in whichever namespace an overlay has put it.
 */
export function writePolicyOf(declared: Declared): readonly object[] {
  const kinds = writesByKind(declared);
  const validations = kinds.flatMap((one) => validationsOf(declared, one));
  if (validations.length === 0) return [];
  const metadata = { name: clusterWide(slug(declared.name)), labels: labelsOf(declared.name) };
  return [
    {
      apiVersion: `${group}/v1`,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          // As roles do: in every version, and in no other group.
          matchPolicy: "Exact",
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: kinds.map(({ resource, verbs }) => ({
            apiGroups: [groupOf(resource)],
            apiVersions: ["*"],
            operations: [...verbs].map((verb) => operations[verb]),
            resources: [resource.plural],
            scope: "*",
          })),
        },
        matchConditions: [
          {
            name: "by-this-function",
            expression:
              'request.userInfo.username.startsWith("system:serviceaccount:") && ' +
              `request.userInfo.username.endsWith(":${slug(declared.name)}")`,
          },
        ],
        ...variablesFor(kinds),
        validations,
      },
    },
    {
      apiVersion: `${group}/v1`,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: metadata.name, validationActions: ["Deny"] },
    },
  ];
}

const maps = ["annotations", "labels", "finalizers", "ownerReferences"] as const;

/** None rather than an empty list, which the API server drops: kubectl apply would find a change each time. */
const variablesFor = (kinds: readonly KindWrites[]) =>
  kinds.some(({ writes }) => writes)
    ? {
        variables: [
          // By itself, so that an overlay replaces it with what the function is set to.
          ...kinds.flatMap(({ chosen }) =>
            chosen ? [{ name: chosen.variable, expression: JSON.stringify(chosen.value) }] : [],
          ),
          ...maps.flatMap((map) => [
            { name: map, expression: `object.metadata.?${map}.orValue(${emptyOf(map)})` },
            { name: `${map}Before`, expression: `oldObject.metadata.?${map}.orValue(${emptyOf(map)})` },
          ]),
        ],
      }
    : {};

const emptyOf = (map: (typeof maps)[number]) => (map === "annotations" || map === "labels" ? "{}" : "[]");

function validationsOf(declared: Declared, { resource, verbs, writes, bounds, chosen }: KindWrites): readonly object[] {
  const { plural, kind } = resource;
  const validation = (on: Bound["on"], cel: string, says: string) => {
    const meant = on.map((verb) => `request.operation == "${operations[verb]}"`).join(" || ");
    const isMeant = `request.resource.resource == "${plural}" && ${on.length > 1 ? `(${meant})` : meant}`;
    return { expression: `!(${isMeant}) || (${cel})`, message: `${declared.name} only ${says}.`, reason: "Forbidden" };
  };
  const own = bounds.map(({ on, cel, says }) => validation(on, cel, says));
  if (!writes || !verbs.has("patch")) return own;
  const all = [...writes, progressWrites(declared), ...(resource === Node ? [{ labels: [changedLabel] }] : [])];
  const of = (list: keyof DeclaredWrites) => [...new Set(all.flatMap((one) => one[list] ?? []))];
  const changes = (list: (typeof maps)[number], cel: string) =>
    validation(["patch"], cel, `changes these ${list} of a ${kind}: ${named(list).join(", ") || "none"}`);
  const others = of("finalizers").filter((one) => one !== chosen?.value);
  const named = (list: (typeof maps)[number]) =>
    list === "finalizers" && chosen ? [`the one that ${chosen.variable} names`, ...others] : of(list);
  const isChosen = chosen ? `e == variables.${chosen.variable} || ` : "";
  return [
    changes("annotations", sameEntries("annotations", of("annotations"))),
    changes("labels", sameEntries("labels", of("labels"))),
    changes("finalizers", sameElements("finalizers", isChosen + isOneOf("e", others))),
    changes("ownerReferences", sameElements("ownerReferences", isOneOf("e.kind", of("ownerReferences")))),
    validation(
      ["patch"],
      sameFields(treeOf(of("fields"))).join(" && "),
      `changes these fields of a ${kind}: ${of("fields").join(", ") || "none"}`,
    ),
    // Last, because the message is that of the first that fails: what is not declared at all is said first.
    ...own,
  ];
}

/** CEL: whether a text is one of those declared. */
function isOneOf(text: string, declared: readonly string[]): string {
  const exact = declared.filter((one) => !one.endsWith("*"));
  const prefixes = declared.filter((one) => one.endsWith("*"));
  const tests = [
    ...(exact.length > 0 ? [`${text} in ${JSON.stringify(exact)}`] : []),
    ...prefixes.map((one) => `${text}.startsWith(${JSON.stringify(one.slice(0, -1))})`),
  ];
  return tests.join(" || ") || "false";
}

/** CEL: every entry of a map but the declared ones is what it was. */
function sameEntries(map: "annotations" | "labels", declared: readonly string[]): string {
  const [now, before] = [`variables.${map}`, `variables.${map}Before`];
  const isOurs = isOneOf("k", declared);
  return (
    `${now}.all(k, ${isOurs} || (k in ${before} && ${now}[k] == ${before}[k])) && ` +
    `${before}.all(k, ${isOurs} || k in ${now})`
  );
}

/** CEL: every element of a list but those for which `isOurs` holds is there as it was. */
function sameElements(map: "finalizers" | "ownerReferences", isOurs: string): string {
  const [now, before] = [`variables.${map}`, `variables.${map}Before`];
  return `${now}.all(e, ${isOurs} || e in ${before}) && ${before}.all(e, ${isOurs} || e in ${now})`;
}

interface Tree {
  readonly [field: string]: Tree | "ours";
}

function treeOf(paths: readonly string[]): Tree {
  const tree: Record<string, Tree | "ours"> = {};
  for (const [first, under] of Map.groupBy(paths, (path) => path.split(".")[0] as string)) {
    const deeper = under.map((path) => path.slice(first.length + 1));
    tree[first] = deeper.includes("") ? "ours" : treeOf(deeper);
  }
  return tree;
}

/** CEL: every field of an object but the declared ones, and metadata, is what it was. */
function sameFields(tree: Tree, path = ""): readonly string[] {
  const [now, before] = ["object", "oldObject"].map((one) => (path ? `${one}${path}.orValue({})` : one));
  const apart = JSON.stringify([...(path ? [] : ["metadata"]), ...Object.keys(tree)]);
  const inner = Object.entries(tree).flatMap(([field, under]) =>
    under === "ours" ? [] : sameFields(under, `${path}.?${field}`),
  );
  return [
    `${now}.all(k, k in ${apart} || (k in ${before} && ${now}[k] == ${before}[k]))`,
    `${before}.all(k, k in ${apart} || k in ${now})`,
    ...inner,
  ];
}
