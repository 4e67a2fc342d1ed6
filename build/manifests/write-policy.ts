import { changedLabel } from "../../functions/satellite/lib/matching/candidate.ts";
import type { Permission } from "../../shared/declaration.ts";
import type { Bound, DeclaredWrites } from "../../shared/declared-writes.ts";
import { Event, groupOf, type Kind, Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { progressWrites } from "../../shared/pipeline/hold-to-declared.ts";
import { slug } from "../../shared/rule.ts";
import { variableOf } from "../../shared/settings.ts";
import { type Declared, systemOf } from "./declared.ts";
import { clusterWide, labelsOf } from "./metadata.ts";
import { type Setting, settingsOf } from "./settings.ts";

/** What a function may write of one kind. */
interface KindWrites {
  readonly resource: Kind;
  readonly subresource?: string | undefined;
  readonly verbs: ReadonlySet<Bound["on"][number]>;
  /** With `patch`: what it changes. */
  readonly writes: readonly DeclaredWrites[];
  /** With `create`: what its objects have. */
  readonly creates: readonly DeclaredWrites[];
  readonly bounds: readonly Bound[];
  /** The setting that names one of its finalizers. */
  readonly chosen?: Setting | undefined;
}

/** What a function may write, kind by kind: what the API server holds its account to. */
function writesByKind(declared: Declared): readonly KindWrites[] {
  const writing = declared.permissions.filter(({ verbs }) => verbs.some(isWrite));
  const keyOf = ({ resource, subresource = "" }: Permission) =>
    `${groupOf(resource)}/${resource.plural}/${subresource}`;
  return [...Map.groupBy(writing, keyOf).values()].map((of) => {
    const { resource, subresource } = of[0] as (typeof of)[number];
    const writesWith = (verb: "create" | "patch") =>
      of.flatMap(({ verbs, writes = {} }) => (verbs.includes(verb) ? [writes] : []));
    const verbs = new Set(of.flatMap(({ verbs }) => verbs.filter(isWrite)));
    const bounds = [...of.flatMap(({ bounds }) => bounds ?? []), ...(resource === Event ? eventBounds(declared) : [])];
    const variable = of.flatMap(({ finalizerSetting }) => (finalizerSetting ? [variableOf(finalizerSetting)] : []))[0];
    const chosen = settingsOf(declared).find((setting) => setting.variable === variable);
    return { resource, subresource, verbs, bounds, chosen, writes: writesWith("patch"), creates: writesWith("create") };
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
 * The policies that hold a function's account to what the function declares, each with its binding; none where it
 * writes nothing. One has what can be seen from a write alone, and one for each kind what must be so beside each object
 * of the kind. The account is known by its name, in whichever namespace an overlay has put it.
 */
export function writePolicyOf(declared: Declared): readonly object[] {
  const kinds = writesByKind(declared);
  const validations = kinds.flatMap((one) => validationsOf(declared, one, kinds));
  if (validations.length === 0) return [];
  const each = kinds.flatMap((of) =>
    of.bounds.flatMap(({ each, label }) => (each && label ? [{ of, each, label }] : [])),
  );
  return [
    ...policyOf(declared, kinds, { ...variablesFor(kinds), validations }),
    ...each.flatMap(({ of, each, label }) =>
      policyOf(
        declared,
        [{ ...of, verbs: new Set(["create"]) }],
        { validations: boundsOf(declared, of, "", each) },
        { each, label },
      ),
    ),
  ];
}

/** A policy and its binding; `each`: the kind of its parameters; `label`: what it looks at has a label of this key. */
function policyOf(
  declared: Declared,
  kinds: readonly KindWrites[],
  more: object,
  { each, label }: Pick<Bound, "each" | "label"> = {},
): readonly object[] {
  const name = clusterWide(slug(declared.name) + (each ? `-${each.plural}` : ""));
  const metadata = { name, labels: labelsOf(declared.name) };
  return [
    {
      apiVersion: `${group}/v1`,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        ...(each ? { paramKind: { apiVersion: each.apiVersion, kind: each.kind } } : {}),
        matchConstraints: {
          // As roles do: in every version, and in no other group.
          matchPolicy: "Exact",
          namespaceSelector: {},
          objectSelector: label ? { matchExpressions: [{ key: label, operator: "Exists" }] } : {},
          resourceRules: kinds.map(({ resource, subresource, verbs }) => ({
            apiGroups: [groupOf(resource)],
            apiVersions: ["*"],
            operations: [...verbs].map((verb) => operations[verb]),
            resources: [subresource ? `${resource.plural}/${subresource}` : resource.plural],
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
        ...more,
      },
    },
    {
      apiVersion: `${group}/v1`,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: {
        policyName: name,
        // Where there is none, nothing is to be so beside it.
        ...(each ? { paramRef: { selector: {}, parameterNotFoundAction: "Allow" } } : {}),
        validationActions: ["Deny"],
      },
    },
  ];
}

const maps = ["annotations", "labels", "finalizers", "ownerReferences"] as const;

/** None rather than an empty list, which the API server drops: kubectl apply would find a change each time. */
const variablesFor = (kinds: readonly KindWrites[]) =>
  kinds.some(({ subresource, writes, creates }) => !subresource && (writes.length > 0 || creates.length > 0))
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

function validationsOf(declared: Declared, one: KindWrites, kinds: readonly KindWrites[]): readonly object[] {
  const { resource, subresource, verbs, writes, creates, chosen } = one;
  const { plural, kind } = resource;
  const isAlone = kinds.every((other) => other === one || other.resource.plural !== plural);
  const part = isAlone ? "" : ` && request.?subResource.orValue("") == "${subresource ?? ""}"`;
  const validation = (on: Bound["on"], cel: string, says: string) =>
    validationOf(declared, one, part, { on, cel, says });
  if (subresource) return statusValidations(one, (cel, says) => validation(["patch"], cel, says));
  const own = [
    ...(creates.length > 0 && resource !== Event ? [validation(["create"], ...ofCreated(creates, resource))] : []),
    ...boundsOf(declared, one, part),
  ];
  if (!verbs.has("patch")) return own;
  const all = [...writes, progressWrites(declared), ...(resource === Node ? [{ labels: [changedLabel] }] : [])];
  const of = (list: keyof DeclaredWrites) => entriesOf(all, list);
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
    validation(["patch"], ...sameManagers(kind, treeOf(of("fields")))),
    // Last, because the message is that of the first that fails: what is not declared at all is said first.
    ...own,
  ];
}

/** `part`: CEL that asks for the subresource, where the policy has several of the kind. */
function validationOf(declared: Declared, { resource }: KindWrites, part: string, { on, cel, says }: Bound): object {
  const meant = on.map((verb) => `request.operation == "${operations[verb]}"`).join(" || ");
  const isMeant = `request.resource.resource == "${resource.plural}"${part} && ${on.length > 1 ? `(${meant})` : meant}`;
  return { expression: `!(${isMeant}) || (${cel})`, message: `${declared.name} only ${says}.`, reason: "Forbidden" };
}

/** What is to be so of what is written alone, or beside each object of a kind. */
const boundsOf = (declared: Declared, one: KindWrites, part: string, each?: Kind) =>
  one.bounds.filter((bound) => bound.each === each).map((bound) => validationOf(declared, one, part, bound));

const entriesOf = (all: readonly DeclaredWrites[], list: keyof DeclaredWrites) => [
  ...new Set(all.flatMap((one) => one[list] ?? [])),
];

/** Kubernetes' own protection of volumes, which is there before a policy is asked. */
const addedByServer = "kubernetes.io/pv-protection";

/** CEL, and what it says: what is created has nothing in its metadata that is not declared. */
function ofCreated(creates: readonly DeclaredWrites[], resource: Kind): [cel: string, says: string] {
  const all = [...creates, ...(resource === PersistentVolume ? [{ finalizers: [addedByServer] }] : [])];
  const of = (list: (typeof maps)[number], text: string, each: string) => {
    const entries = entriesOf(all, list);
    return entries.includes("*") ? [] : [`variables.${list}.all(${each}, ${isOneOf(text, entries)})`];
  };
  const says = maps.map((map) => `${map} ${entriesOf(creates, map).join(", ") || "none"}`);
  return [
    [
      ...of("annotations", "k", "k"),
      ...of("labels", "k", "k"),
      ...of("finalizers", "e", "e"),
      ...of("ownerReferences", "e.kind", "e"),
    ].join(" && "),
    `creates a ${resource.kind} with these ${says.join("; ")}`,
  ];
}

/** That a write to the status changes what is declared, and that what is not the status stays as it was. */
function statusValidations(
  { resource: { kind }, writes }: KindWrites,
  validation: (cel: string, says: string) => object,
) {
  const [conditions, fields] = [entriesOf(writes, "conditions"), entriesOf(writes, "fields")];
  const [now, before] = ["object", "oldObject"].map((one) => `${one}.?status.?conditions.orValue([])`);
  const isOurs = isOneOf("e.type", conditions);
  return [
    validation(
      `${now}.all(e, ${isOurs} || e in ${before}) && ${before}.all(e, ${isOurs} || e in ${now})`,
      `changes these conditions of a ${kind}: ${conditions.join(", ") || "none"}`,
    ),
    validation(
      sameFields(treeOf([...fields, "status.conditions"])).join(" && "),
      `changes these fields of the status of a ${kind}: ${fields.join(", ") || "none"}`,
    ),
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

/**
 * CEL, and what it says: what others hold by server-side apply stays theirs, except for metadata and declared fields.
 * The API server takes `metadata.managedFields` from each writer of the object itself, but not from writers of its
 * status. It drops entries of a version that is gone, so only entries of the write's own version are compared.
 */
function sameManagers(kind: string, tree: Tree): [cel: string, says: string] {
  const [now, before] = ["object", "oldObject"].map((one) => `${one}.metadata.?managedFields.orValue([])`);
  const held = sameHeld(now as string, tree).join(" && ");
  const isCompared = 'e.operation == "Apply" && e.apiVersion == object.apiVersion';
  return [
    `${before}.all(e, !(${isCompared}) || (${held}))`,
    `writes a ${kind} without taking away what other managers have applied`,
  ];
}

/** CEL: the manager of the entry `e` holds every field of the entry now, except for declared ones and metadata. */
function sameHeld(entries: string, tree: Tree, path: readonly string[] = []): readonly string[] {
  const at = (one: string) => `${one}.?fieldsV1${path.map((field) => `[?"f:${field}"]`).join("")}`;
  const apart = JSON.stringify(
    [...(path.length > 0 ? [] : ["metadata"]), ...Object.keys(tree)].map((one) => `f:${one}`),
  );
  const isSame =
    'n.manager == e.manager && n.operation == "Apply" && n.?subresource.orValue("") == e.?subresource.orValue("")';
  const inner = Object.entries(tree).flatMap(([field, under]) =>
    under === "ours" ? [] : sameHeld(entries, under, [...path, field]),
  );
  const isHeld = `${entries}.exists(n, ${isSame} && ${at("n")}[?k].orValue("") == ${at("e")}[?k].orValue("-"))`;
  return [`${at("e")}.orValue({}).all(k, k in ${apart} || ${isHeld})`, ...inner];
}
