import type { Permission } from "../../../shared/declaration.ts";
import type { Bound } from "../../../shared/declared-writes.ts";
import { type Kind, Node } from "../../../shared/kubernetes/kind.ts";
import { agentKey, agentLockKey, agentUidKey } from "./agent-pod.ts";
import { bases } from "./kinds.ts";
import { lockPrefix } from "./node-lock.ts";
import { mayShow, mayWritePods } from "./permissions.ts";

const template = "params.spec.template.spec";
const equal = (one: string, other: string, fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([path, absent]) => {
    const at = path.split(".").join(".?");
    return `${one}.?${at}.orValue(${absent}) == ${other}.?${at}.orValue(${absent})`;
  });

/** What a pod may reach on its Node, with what is so where it is absent. */
const ofPod = {
  ...{ hostPID: "false", hostIPC: "false", hostNetwork: "false", shareProcessNamespace: "false", hostUsers: "true" },
  ...{ automountServiceAccountToken: "true", runtimeClassName: '""', securityContext: "{}", resourceClaims: "[]" },
};
const ofContainer = {
  ...{ name: '""', image: '""', workingDir: '""', command: "[]", args: "[]", envFrom: "[]", volumeDevices: "[]" },
  securityContext: "{}",
  ...Object.fromEntries(
    ["lifecycle.postStart", "lifecycle.preStop", "livenessProbe", "readinessProbe", "startupProbe"].map(
      (one) => [`${one}.exec.command`, "[]"] as const,
    ),
  ),
};
const ofEnv = { name: '""', value: '""', "valueFrom.secretKeyRef": "{}", "valueFrom.configMapKeyRef": "{}" };
const ofMount = { name: '""', mountPath: '""', subPath: '""', readOnly: "false", mountPropagation: '"None"' };

/** The account's token, which the API server mounts. */
const isToken = (name: string) => `${name}.startsWith("kube-api-access-")`;
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Each element of a list is as one of the template's is. */
const among = (one: string, other: string, list: string, [e, t]: readonly [string, string], same: readonly string[]) =>
  `${one}.?${list}.orValue([]).all(${e}, ${other}.?${list}.orValue([]).exists(${t}, ${same.join(" && ")}))`;

const containers = (list: string) =>
  among(
    "object.spec",
    template,
    list,
    ["c", "d"],
    [
      ...equal("c", "d", ofContainer),
      among("c", "d", "env", ["e", "f"], equal("e", "f", ofEnv)),
      `c.?volumeMounts.orValue([]).all(m, (m.mountPath == "${tokenPath}" && ${isToken("m.name")}) || ` +
        `d.?volumeMounts.orValue([]).exists(n, ${equal("m", "n", ofMount).join(" && ")}))`,
    ],
  );

/** The API server adds some fields, or writes them in another way. None of them says what of the Node is mounted. */
const added = '["type", "defaultMode", "items", "sources", "sizeLimit", "volumeClaimTemplate"]';
const volumes =
  `object.spec.?volumes.orValue([]).all(v, (${isToken("v.name")} || ${template}.?volumes.orValue([]).exists(w, ` +
  "w.name == v.name && v.all(k, k in w && (v[k] == w[k] || " +
  `v[k].all(f, f in ${added} || (f in w[k] && v[k][f] == w[k][f])))) && ` +
  "v.?projected.?sources.orValue([]).all(s, !has(s.secret) || s in w.projected.sources))) && " +
  `(!${isToken("v.name")} || (has(v.projected) && v.projected.sources.all(s, !has(s.secret)))))`;

const account = (spec: string) => `${spec}.?serviceAccountName.orValue(${spec}.?serviceAccount.orValue("default"))`;

/**
 * What is created has what its resource's template allows: which containers run with which rights, and what of the Node
 * and of the namespace they reach. A pod without such a resource is refused by what says where its lock must be.
 */
const asTemplate = (kind: Kind): Bound => {
  const isIts = `object.metadata.?labels["${agentKey}"].orValue("") == "${kind.kind}"`;
  const lock = `(params.spec.?lockName.orValue("") == "" ? "${kind.kind}" : params.spec.lockName)`;
  const own = [
    "has(params.spec.template)",
    `object.metadata.?annotations["${agentUidKey}"].orValue("") == params.metadata.uid`,
    `${account("object.spec")} == ${account(template)}`,
    ...equal("object.spec", template, ofPod),
    containers("containers"),
    containers("initContainers"),
    volumes,
  ];
  const isOfLock = `(${podLock} == ${lock}) == (${isIts})`;
  const held = bases.includes(kind) ? [] : [isOfLock];
  return {
    on: ["create"],
    each: kind,
    says: "creates pods that are as the template of their agent says",
    cel: `${onNode} || (${[...held, `(!(${isIts}) || (${own.join(" && ")}))`].join(" && ")})`,
  };
};

const podLock = `object.metadata.?annotations["${agentLockKey}"].orValue("")`;
const onNode = 'object.spec.?nodeName.orValue("") != params.metadata.name';

/** What is created runs on a Node that has the lock of its resource: a pod without a resource has none. */
const whereLocked: Bound = {
  on: ["create"],
  each: Node,
  says: "creates pods on Nodes that have the lock of their agent",
  cel: `${onNode} || ("${lockPrefix}" + ${podLock}) in params.metadata.?annotations.orValue({})`,
};

/** What keeps the pods of resources on their Nodes, and says of each whether it is there; `why` it writes pods. */
export function mayKeepPods(kinds: readonly Kind[], shown: readonly string[], why: string): readonly Permission[] {
  const { bounds = [], ...pods } = mayWritePods(["create", "delete"], kinds, why);
  const isLocking = !kinds.some((kind) => bases.includes(kind));
  return [
    ...mayShow(kinds, shown, "whether its pod is on the Node, or what the pod waits for"),
    {
      ...pods,
      bounds: [...bounds, ...kinds.map(asTemplate), ...(isLocking ? [whereLocked] : [])],
      // As its template says.
      writes: { annotations: ["*"], labels: ["*"] },
    },
  ];
}
