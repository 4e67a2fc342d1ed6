import type { Permission } from "../../../shared/declaration.ts";
import type { Bound } from "../../../shared/declared-writes.ts";
import { type Kind, Node } from "../../../shared/kubernetes/kind.ts";
import { agentKey, agentLockKey, agentUidKey } from "./agent-pod.ts";
import { bases } from "./kinds.ts";
import { lockPrefix } from "./node-lock.ts";
import { mayShow, mayWritePods } from "./permissions.ts";

const template = "params.spec.template.spec";

/** A field, or what is so where it is absent or null; `path` has names, with points between them. */
const given = (of: string, path: string, absent: string) => {
  const at = `${of}.?${path.split(".").join(".?")}.orValue(${absent})`;
  return `(${at} == null ? ${absent} : ${at})`;
};
const equal = (one: string, other: string, fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([path, absent]) => `${given(one, path, absent)} == ${given(other, path, absent)}`);

/** As whom something runs. The API server adds and moves other fields of a security context. */
const identity = { "securityContext.runAsUser": "-1", "securityContext.runAsGroup": "-1" };
/** What a pod may reach on its Node, with what is so where it is absent. */
const ofPod = {
  ...{ hostPID: "false", hostIPC: "false", hostNetwork: "false", shareProcessNamespace: "false", hostUsers: "true" },
  ...{ automountServiceAccountToken: "true", runtimeClassName: '""', ...identity },
};
const ofContainer = {
  ...{ name: '""', image: '""', workingDir: '""', command: "[]", args: "[]" },
  ...{ "securityContext.privileged": "false", "securityContext.procMount": '"Default"', ...identity },
  ...Object.fromEntries(
    ["lifecycle.postStart", "lifecycle.preStop", "livenessProbe", "readinessProbe", "startupProbe"].map(
      (one) => [`${one}.exec.command`, "[]"] as const,
    ),
  ),
};
const ofEnv = {
  ...{ name: '""', value: '""', "valueFrom.secretKeyRef.name": '""', "valueFrom.secretKeyRef.key": '""' },
  ...{ "valueFrom.configMapKeyRef.name": '""', "valueFrom.configMapKeyRef.key": '""' },
};
const ofEnvFrom = { "secretRef.name": '""', "configMapRef.name": '""' };
const ofDevice = { name: '""', devicePath: '""' };
const ofMount = { name: '""', mountPath: '""', subPath: '""', readOnly: "false", mountPropagation: '"None"' };
const ofVolume = {
  ...{ name: '""', "hostPath.path": '""', "secret.secretName": '""', "configMap.name": '""', "csi.driver": '""' },
  ...{ "nfs.server": '""', "nfs.path": '""', "persistentVolumeClaim.claimName": '""' },
};

/** The account's token, which the API server mounts. */
const isToken = (name: string) => `${name}.startsWith("kube-api-access-")`;
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Each element of a list is as one of the template's is. */
const among = (one: string, other: string, list: string, [e, t]: readonly [string, string], same: readonly string[]) =>
  `${given(one, list, "[]")}.all(${e}, ${given(other, list, "[]")}.exists(${t}, ${same.join(" && ")}))`;

const added = "securityContext.capabilities.add";
const containers = (list: string) =>
  among(
    "object.spec",
    template,
    list,
    ["c", "d"],
    [
      ...equal("c", "d", ofContainer),
      `${given("c", added, "[]")}.all(a, a in ${given("d", added, "[]")})`,
      among("c", "d", "env", ["e", "f"], equal("e", "f", ofEnv)),
      among("c", "d", "envFrom", ["g", "h"], equal("g", "h", ofEnvFrom)),
      among("c", "d", "volumeDevices", ["i", "j"], equal("i", "j", ofDevice)),
      `${given("c", "volumeMounts", "[]")}.all(m, (m.mountPath == "${tokenPath}" && ${isToken("m.name")}) || ` +
        `${given("d", "volumeMounts", "[]")}.exists(n, ${equal("m", "n", ofMount).join(" && ")}))`,
    ],
  );

/** Of another kind of volume than these, its kind alone: the API server adds fields to some. */
const secretsOf = (volume: string) =>
  `${given(volume, "projected.sources", "[]")}.filter(s, has(s.secret)).map(s, s.secret.?name.orValue(""))`;
const volumes =
  `${given("object.spec", "volumes", "[]")}.all(v, ${isToken("v.name")} ? ` +
  `(has(v.projected) && size(${secretsOf("v")}) == 0) : ${given(template, "volumes", "[]")}.exists(w, ` +
  `${equal("v", "w", ofVolume).join(" && ")} && v.all(k, k == "emptyDir" || k in w) && ` +
  `${secretsOf("v")}.all(s, s in ${secretsOf("w")})))`;

/** The account of a pod; the API server takes the former field where the new one is empty. */
const account = (spec: string) => {
  const [name, former] = [given(spec, "serviceAccountName", '""'), given(spec, "serviceAccount", '""')];
  return `(${name} != "" ? ${name} : ${former} != "" ? ${former} : "default")`;
};

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
    label: agentKey,
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
  label: agentKey,
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
