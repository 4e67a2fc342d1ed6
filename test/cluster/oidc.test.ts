import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { bundleFor } from "../../bench/budget/bundle.ts";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { readOidcSettings } from "../../shared/serve/oidc/settings.ts";
import { tokenVerifier } from "../../shared/serve/oidc/verify-token.ts";
import { Namespace, ServiceAccount } from "../harness/kinds.ts";
import { manifest } from "../harness/manifest.ts";
import { tokenOf } from "../harness/service-account.ts";
import { accountOf } from "../harness/trigger-account.ts";
import { readKustomization } from "../manifests/kustomization.ts";
import { freePorts } from "./free-ports.ts";
import { ownCluster } from "./own-cluster.ts";
import { tokenKubeconfig } from "./token-kubeconfig.ts";

const cluster = ownCluster;
const audience = "holdfast";
const namespace = `holdfast-oidc-${process.pid}`;
const sender = "storage-oidc";
const subject = `system:serviceaccount:${namespace}:${sender}`;
const settings = { audience, senders: [subject] };

describe.skipIf(!cluster)("tokens of a real API server", () => {
  if (!cluster) return;
  const admin = createClient(kubeconfigTransport(cluster.kubeconfig));
  const folder = mkdtempSync(join(tmpdir(), "holdfast-oidc-"));
  const ownKubeconfig = join(folder, "kubeconfig");

  /** A token as Knative asks for it on behalf of a Trigger. */
  const issue = async (account: string, audiences?: string[]) => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const spec = { expirationSeconds: 600, ...(audiences ? { audiences } : {}) };
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    return (await admin.request<{ status: { token: string } }>("POST", path, body)).status.token;
  };

  beforeAll(async () => {
    await admin.create(Namespace, manifest(Namespace, { name: namespace }));
    for (const name of ["function", sender])
      await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name }));
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    const entry = config.getCurrentCluster();
    if (!entry) throw new Error("The kubeconfig names no cluster.");
    // The keys are read as a function reads them: by its own account, with no more rights than any account has.
    writeFileSync(ownKubeconfig, tokenKubeconfig(entry, await tokenOf(admin, namespace, "function")), { mode: 0o600 });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await admin.delete(Namespace, undefined, namespace);
  });

  test("are verified by the keys it publishes: audience, issuer, time and subject", async () => {
    const client = createClient(kubeconfigTransport(ownKubeconfig));
    const verify = tokenVerifier(settings, () => client, systemClock);
    const judge = async (account: string, audiences?: string[]) => verify(`Bearer ${await issue(account, audiences)}`);
    expect(await judge(sender, [audience])).toBeUndefined();
    expect(await judge(sender, ["other"])).toMatchObject({ status: 401 });
    expect(await judge(sender)).toMatchObject({ status: 401 });
    expect(await judge("function", [audience])).toMatchObject({ status: 403 });
    const later = { ...systemClock, now: () => Date.now() + 3_600_000 };
    const inAnHour = tokenVerifier(settings, () => client, later);
    expect(await inAnHour(`Bearer ${await issue(sender, [audience])}`)).toMatchObject({ status: 401 });
  });

  test("let accounts of Triggers into dead-letter, as oidc is shipped, and no other of the namespace", async () => {
    const { patches } = readKustomization("knative/components/oidc");
    const patch = patches.find(({ target: { kind, name } }) => kind === "Service" && name === "platform-dead-letter");
    const added = parse(patch?.patch ?? "") as { value: { name: string; value: string } }[];
    const environment = Object.fromEntries(
      // An administrator who moves Holdfast writes the other namespace into it, too.
      added.map(({ value: { name, value } }) => [name, value.replaceAll(":holdfast:", `:${namespace}:`)]),
    );
    const shipped = readOidcSettings(environment);
    if (!shipped) throw new Error("The component oidc does not set the senders of dead-letter.");
    const client = createClient(kubeconfigTransport(ownKubeconfig));
    const verify = tokenVerifier(shipped, () => client, systemClock);
    const judge = async (name: string) => {
      const made = await admin.get(ServiceAccount, namespace, name);
      if (!made) await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name }));
      return verify(`Bearer ${await issue(name, [shipped.audience])}`);
    };
    for (const trigger of ["pvc-protection-release-workloads", "pvc-protection-warn-storage"])
      expect(await judge(accountOf(trigger)), trigger).toBeUndefined();
    const others = ["default", "platform-sweep", "undelete-retain", "sweep-oidc-sources.knative.dev-pingsource"];
    for (const account of others) expect(await judge(account), account).toMatchObject({ status: 403 });
  });

  test("let an event into a bundled function, which takes none without", async () => {
    const bundle = await bundleFor("pvc-protection/release");
    const [port] = (await freePorts(1)) as [number];
    const environment = { OIDC_AUDIENCE: audience, OIDC_SENDERS: subject, KUBECONFIG: ownKubeconfig };
    const child = spawn(process.execPath, [bundle.entry], {
      env: { PORT: String(port), LOG_LEVEL: "debug", ...environment },
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await bundle.remove();
    });
    for await (const line of child.stdout) if (String(line).includes("listens")) break;
    const post = async (headers: Record<string, string>) => {
      const event = { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "test", "ce-type": "test", ...headers };
      const reply = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: event, body: "" });
      return [reply.status, await reply.text()];
    };
    const attributes = {
      "ce-type": "dev.knative.apiserver.resource.add",
      "ce-kind": "Pod",
      "ce-apiversion": "v1",
      "ce-name": "a",
      "ce-namespace": "a",
    };
    expect(await post(attributes)).toEqual([401, "The event is refused, because no token came with it."]);
    const authorization = `Bearer ${await issue(sender, [audience])}`;
    expect(await post({ ...attributes, authorization })).toEqual([204, ""]);
    expect(await post({ ...attributes, authorization: `Bearer ${await issue(sender, ["other"])}` })).toEqual([
      401,
      'The event is refused, because its token is not meant for "holdfast".',
    ]);
  });
});
