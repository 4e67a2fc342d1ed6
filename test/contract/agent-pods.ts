import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { writePolicyOf } from "../../build/manifests/write-policy.ts";
import { agentKey, createPod } from "../../functions/eviction/lib/agent-pod.ts";
import { NeutronL2Agent, NeutronL3Agent, NovaComputeNode } from "../../functions/eviction/lib/kinds.ts";
import { lockPrefix } from "../../functions/eviction/lib/node-lock.ts";
import { type Kind, Node, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { install } from "../harness/installation.ts";
import { manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { installPolicies, inTest, isServed } from "./forged-writes.ts";

const functions = (await loadDeclared(join(import.meta.dirname, "../.."))).filter(({ name }) =>
  ["eviction/keep-pod", "eviction/replace-agent"].includes(name),
);

type Fields = Readonly<Record<string, unknown>>;

const ownClaim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } };

/** All that the API server adds something to, or that gives a pod something of its Node or namespace. */
const template = {
  metadata: {
    labels: { app: "a" },
    annotations: { "container.apparmor.security.beta.kubernetes.io/agent": "unconfined" },
  },
  spec: {
    hostNetwork: true,
    hostPID: true,
    serviceAccountName: "",
    serviceAccount: "agent",
    securityContext: { runAsUser: 0, supplementalGroups: [] },
    initContainers: [{ name: "init", image: "registry.example/a:1", command: ["sh", "-c", "true"], args: null }],
    containers: [
      {
        name: "agent",
        image: "registry.example/a:1",
        command: ["agent"],
        ports: [{ containerPort: 80 }],
        env: [
          { name: "A", value: "a" },
          { name: "EMPTY" },
          { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "a", key: "b" } } },
        ],
        securityContext: { privileged: true, capabilities: { add: ["NET_ADMIN"], drop: [] } },
        envFrom: [{ prefix: "", configMapRef: { name: "a" } }],
        lifecycle: { preStop: { exec: { command: ["sleep", "1"] } } },
        livenessProbe: { exec: { command: ["true"] } },
        readinessProbe: { httpGet: { port: 80 } },
        volumeMounts: [
          { name: "run", mountPath: "/run", mountPropagation: "Bidirectional" },
          { name: "config", mountPath: "/etc/agent", readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: "run", hostPath: { path: "/run" } },
      { name: "config", configMap: { name: "a" } },
      { name: "secret", secret: { secretName: "a", items: [{ key: "a", path: "a" }] } },
      { name: "about", downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "metadata.labels" } }] } },
      { name: "all", projected: { sources: [{ serviceAccountToken: { path: "t" } }, { secret: { name: "a" } }] } },
      { name: "scratch", emptyDir: {} },
      { name: "scratch-by-default" },
      { name: "disk", iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2026-01.example:a", lun: 0 } },
      { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1024Mi" } },
      { name: "own", ephemeral: { volumeClaimTemplate: { spec: ownClaim } } },
    ],
  },
};
const [container] = template.spec.containers;
const withContainer = (more: Fields) => ({ containers: [{ ...container, ...more }] });
const withVolume = (volume: Fields) => ({ volumes: [...template.spec.volumes, volume] });

/** Changes of the spec of a lawful pod that its template does not allow. */
const forgedSpecs: Readonly<Record<string, Fields>> = {
  "the IPC of the host": { hostIPC: true },
  "no network of the host": { hostNetwork: false },
  "another account": { serviceAccount: "default", serviceAccountName: "default" },
  "another user": { securityContext: { runAsUser: 1 } },
  "one more container": { containers: [container, { name: "b", image: "registry.example/a:1" }] },
  "one more container before": { initContainers: [{ name: "b", image: "registry.example/a:1" }] },
  "another image": withContainer({ image: "registry.example/b:1" }),
  "another command": withContainer({ command: ["sh"] }),
  arguments: withContainer({ args: ["--debug"] }),
  "another capability": withContainer({ securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] } } }),
  "a variable": withContainer({ env: [{ name: "LD_PRELOAD", value: "/run/a" }] }),
  "a variable of another Secret": withContainer({
    env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "b", key: "b" } } }],
  }),
  "all of a Secret": withContainer({ envFrom: [{ secretRef: { name: "b" } }] }),
  "a command of a probe": withContainer({ livenessProbe: { exec: { command: ["sh"] } } }),
  "a command at the start": withContainer({ lifecycle: { postStart: { exec: { command: ["sh"] } } } }),
  "another place of a mount": withContainer({ volumeMounts: [{ name: "run", mountPath: "/etc" }] }),
  "a path of the host": withVolume({ name: "root", hostPath: { path: "/" } }),
  "another path of the host": {
    volumes: [{ name: "run", hostPath: { path: "/" } }, ...template.spec.volumes.slice(1)],
  },
  "another Secret": withVolume({ name: "b", secret: { secretName: "b" } }),
  "another Secret in a volume of several": {
    volumes: [
      ...template.spec.volumes.filter(({ name }) => name !== "all"),
      { name: "all", projected: { sources: [{ secret: { name: "b" } }] } },
    ],
  },
  "a Secret, as the token is": withVolume({
    name: "kube-api-access-a",
    projected: { sources: [{ secret: { name: "b" } }] },
  }),
  "a path of the host, as the token is": withVolume({ name: "kube-api-access-a", hostPath: { path: "/" } }),
};

/** The pods of agents, which are privileged: what their accounts may create is what the agents' templates say. */
export function agentPods(open: () => Promise<Bench>): void {
  test("an account creates pods as the templates of their agents say, where those have their locks", async () => {
    const bench = await open();
    const { admin, namespace, eventually } = bench;
    const { kinds } = await installPolicies(bench, functions);
    await Promise.all(kinds.map((kind) => isServed(bench, kind)));
    const create = async (kind: Kind, object: KubernetesObject) => {
      onTestFinished(() => void admin.delete(kind, kind.namespaced ? namespace : undefined, object.metadata.name));
      return await admin.create(kind, object);
    };
    const [node, other, bare] = [`${namespace}-a`, `${namespace}-b`, `${namespace}-c`];
    const ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts", namespaced: true };
    await create(ServiceAccount, manifest(ServiceAccount, { name: "agent", namespace }));
    const locks = { [`${lockPrefix}NovaComputeNode`]: "", [`${lockPrefix}routers`]: "" };
    for (const name of [node, other]) await create(Node, manifest(Node, { name, annotations: locks }));
    await create(Node, manifest(Node, { name: bare }));
    const agent = (of: Kind, name: string, spec: Fields) =>
      create(inTest(of, namespace), manifest(inTest(of, namespace), { name, namespace }, { spec }));
    const compute = await agent(NovaComputeNode, node, { template });
    const routers = await agent(NeutronL3Agent, node, { template, lockName: "routers" });
    const base = await agent(NeutronL2Agent, node, { template });
    const kept = await agent(NeutronL3Agent, other, { selector: {}, lockName: "routers" });

    const podOf = (resource: KubernetesObject) => {
      const write = createPod({ spec: { template }, ...resource });
      return (write.verb === "create" ? write.object : undefined) as KubernetesObject;
    };
    const account = (pod: KubernetesObject) =>
      `${namespace}-eviction-${pod.metadata.name.startsWith("neutronl2") ? "replace-agent" : "keep-pod"}`;
    const tried = (pod: KubernetesObject) => {
      const headers = {
        "impersonate-user": `system:serviceaccount:${namespace}:${account(pod)}`,
        "impersonate-group": "system:masters",
      };
      const path = `${pathOf(Pod, namespace)}?dryRun=All`;
      return admin.request("POST", path, { ...pod, apiVersion: "v1" }, headers).then(() => "taken", String);
    };
    const changed = (pod: KubernetesObject, spec: Fields, metadata: object = {}) => ({
      ...pod,
      metadata: { ...pod.metadata, ...metadata },
      spec: { ...(pod.spec as object), ...spec },
    });
    const annotated = (annotations: Readonly<Record<string, string>>) => {
      const pod = podOf(compute);
      return changed(pod, {}, { annotations: { ...pod.metadata.annotations, ...annotations } });
    };
    const named = (name: string) => ({ ...compute, metadata: { ...compute.metadata, name } });
    const forged: Readonly<Record<string, KubernetesObject>> = {
      ...Object.fromEntries(
        [compute, routers, base].flatMap((one) =>
          Object.entries(forgedSpecs).map(([title, spec]) => [`${one.kind}: ${title}`, changed(podOf(one), spec)]),
        ),
      ),
      // The policies with parameters select pods by this label.
      "without the label of an agent": changed(podOf(compute), { hostIPC: true }, { labels: {} }),
      "with the label of no agent": changed(podOf(compute), { hostIPC: true }, { labels: { [agentKey]: "a" } }),
      "for another resource of the name": annotated({ "holdfast.dev/agent-uid": "a" }),
      "with the lock of another agent": annotated({ "holdfast.dev/agent-lock": "routers" }),
      "with a lock that is not there": annotated({ "holdfast.dev/agent-lock": "b" }),
      "for an agent whose pods are another operator's": podOf({ ...kept, spec: { template, lockName: "routers" } }),
      "for no agent, on a Node without a lock": podOf(named(bare)),
      "for no agent, with the lock of another": podOf({ ...named(other), spec: { template, lockName: "routers" } }),
    };
    const wrong = async () => {
      const answers = await Promise.all(Object.entries(forged).map(async ([of, pod]) => [of, await tried(pod)]));
      return answers.filter(([, answer]) => !/denied request: eviction\/[a-z-]+ only creates pods/.test(answer ?? ""));
    };
    // A real server learns of policies, and of what they are asked with, by watching them.
    await eventually("all policies are in force", async () => (await wrong()).length === 0).catch(() => undefined);
    expect(await wrong()).toEqual([]);
    const lawful = [compute, routers, base].map(podOf);
    expect(await Promise.all(lawful.map(tried))).toEqual(lawful.map(() => "taken"));
  });

  test("where the kind of an agent is not served, the API server refuses pods of agents, and no others", async () => {
    const { admin, namespace, eventually } = await open();
    const [policy, binding] = functions.flatMap(writePolicyOf).filter((one) => JSON.stringify(one).includes("param"));
    const ofTest = (one: unknown) =>
      JSON.parse(
        JSON.stringify(one).replaceAll('"holdfast-', `"${namespace}-`).replaceAll(".yaook.cloud/", ".absent/"),
      );
    const withdraw = await install(admin, [policy, binding].map(ofTest));
    onTestFinished(async () => void (await withdraw()));
    const create = (labels: Readonly<Record<string, string>>) => {
      const spec = { containers: [{ name: "a", image: "registry.example/a:1" }] };
      const pod = manifest(Pod, { name: "a", namespace, labels }, { spec });
      return admin.request("POST", `${pathOf(Pod, namespace)}?dryRun=All`, pod).then(() => "taken", String);
    };
    await eventually("the policy is in force", async () => /paramKind/.test(await create({ [agentKey]: "a" })));
    expect(await create({})).toBe("taken");
  });
}
