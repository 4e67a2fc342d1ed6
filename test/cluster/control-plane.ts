import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { freePorts } from "./free-ports.ts";
import { supervise } from "./supervise.ts";
import { tokenKubeconfig } from "./token-kubeconfig.ts";

/** How a control plane is to differ from the default one. */
export interface ControlPlaneOptions {
  /** kube-controller-manager's `--controllers`; `*` by default. */
  controllers?: string;
  /** API server's `--disable-admission-plugins`. */
  disableAdmission?: readonly string[];
  /** API server's `--enable-admission-plugins`. */
  enableAdmission?: readonly string[];
  /** Groups of further users, by their names; the token of each is its name with `-token`. */
  users?: Readonly<Record<string, string>>;
}

/** A Kubernetes control plane as processes on loopback, all of its state in a folder of its own. */
export interface ControlPlane {
  /** Of a member of `system:masters`. */
  readonly kubeconfig: string;
  /** Whether kube-controller-manager runs; without it nothing collects garbage or binds claims. */
  readonly hasControllers: boolean;
  readonly hasScheduler: boolean;
  /** URL of its etcd, for {@link compact}. */
  readonly etcd: string;
  /** Stops the processes and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Boots etcd and kube-apiserver, and kube-controller-manager and kube-scheduler where they are, from a folder of
 * binaries as `KUBEBUILDER_ASSETS` names it. Takes about six seconds. The processes belong to a supervisor that ends
 * them when this process goes, however it goes.
 *
 * @throws Error when a binary is missing, with the last lines of its log when a process ends early, and when the API
 * server is not ready within three minutes.
 */
export async function startControlPlane(assets: string, options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  for (let tries = 1; ; tries++) {
    const plane = await boot(assets, options).catch((error: Error) => {
      // Ports that were free may be in use by the time that all of these processes listen.
      if (tries === 3 || !/address already in use/.test(error.message)) throw error;
    });
    if (plane) return plane;
  }
}

async function boot(assets: string, options: ControlPlaneOptions): Promise<ControlPlane> {
  const binary = (name: string) => join(assets, name);
  const absent = ["etcd", "kube-apiserver"].find((name) => !existsSync(binary(name)));
  if (absent) throw new Error(`There is no ${absent} in ${assets}, which KUBEBUILDER_ASSETS names.`);
  const hasControllers = existsSync(binary("kube-controller-manager"));
  const hasScheduler = existsSync(binary("kube-scheduler"));
  const folder = await mkdtemp(join(tmpdir(), "holdfast-control-plane-"));
  const inFolder = (...path: string[]) => join(folder, ...path);
  const [etcd, etcdPeer, api] = (await freePorts(3)) as [number, number, number];
  const etcdUrl = `http://127.0.0.1:${etcd}`;
  const cluster = { name: "cluster", server: `https://127.0.0.1:${api}`, skipTLSVerify: true };

  const own = { admin: "system:masters", "system:kube-controller-manager": "", "system:kube-scheduler": "" };
  const users = { ...options.users, ...own };
  const kubeconfigs: Record<string, string> = {};
  for (const user of Object.keys(users)) {
    kubeconfigs[user] = inFolder(`${user.replace("system:", "")}.kubeconfig`);
    await writeFile(kubeconfigs[user], tokenKubeconfig(cluster, `${user}-token`));
  }
  const tokens = Object.entries(users).map(([user, group]) => `${user}-token,${user},${user}${group && `,${group}`}`);
  await writeFile(inFolder("tokens.csv"), `${tokens.join("\n")}\n`);
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(inFolder("service-accounts.key"), keys.privateKey.export({ type: "pkcs1", format: "pem" }));
  await mkdir(inFolder("volumes"));

  const supervisor = supervise(folder);
  const start = (name: string, flags: Record<string, string | boolean | number | undefined>) =>
    supervisor.start(
      name,
      binary(name),
      Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`])),
    );
  const stop = async () => {
    await supervisor.stop();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    start("etcd", {
      "data-dir": inFolder("etcd"),
      "unsafe-no-fsync": true,
      "listen-client-urls": etcdUrl,
      "advertise-client-urls": etcdUrl,
      "listen-peer-urls": `http://127.0.0.1:${etcdPeer}`,
    });
    start("kube-apiserver", {
      "etcd-servers": etcdUrl,
      "cert-dir": inFolder("certificates"),
      "bind-address": "127.0.0.1",
      "secure-port": api,
      "service-cluster-ip-range": "10.0.0.0/24",
      "authorization-mode": "RBAC",
      "token-auth-file": inFolder("tokens.csv"),
      "allow-privileged": true,
      // One more hand-over for each request, and no client here is to be treated fairly.
      "enable-priority-and-fairness": false,
      "service-account-issuer": "https://kubernetes.default.svc",
      "service-account-key-file": inFolder("service-accounts.key"),
      "service-account-signing-key-file": inFolder("service-accounts.key"),
      // No controller makes the accounts that this plugin asks for where there are no controllers.
      "disable-admission-plugins": listed([
        ...(options.disableAdmission ?? []),
        ...(hasControllers ? [] : ["ServiceAccount"]),
      ]),
      "enable-admission-plugins": listed(options.enableAdmission),
    });
    const kubeconfig = kubeconfigs.admin as string;
    const transport = kubeconfigTransport(kubeconfig);
    await supervisor.until("the API server is ready", async () => {
      const { status, body } = await transport({ method: "GET", path: "/readyz", headers: {} });
      for await (const _ of body);
      if (status !== 200) throw new Error(`It answers ${status}.`);
    });

    const identity = (user: string) => ({
      kubeconfig: kubeconfigs[user],
      "authentication-kubeconfig": kubeconfigs[user],
      "authorization-kubeconfig": kubeconfigs[user],
      // No client asks them for anything.
      "secure-port": 0,
    });
    if (hasControllers)
      start("kube-controller-manager", {
        ...identity("system:kube-controller-manager"),
        "leader-elect": false,
        "service-account-private-key-file": inFolder("service-accounts.key"),
        "use-service-account-credentials": true,
        "enable-hostpath-provisioner": true,
        // By default each controller asks 20 times a second at most, which several scenarios at a time have used up.
        "kube-api-qps": 500,
        "kube-api-burst": 1000,
        controllers: options.controllers ?? "*",
      });
    if (hasScheduler) {
      const { kubeconfig: _, ...identities } = identity("system:kube-scheduler");
      const configuration = {
        apiVersion: "kubescheduler.config.k8s.io/v1",
        kind: "KubeSchedulerConfiguration",
        leaderElection: { leaderElect: false },
        clientConnection: { kubeconfig: kubeconfigs["system:kube-scheduler"], qps: 500, burst: 1000 },
      };
      await writeFile(inFolder("scheduler.json"), JSON.stringify(configuration));
      start("kube-scheduler", {
        ...identities,
        config: inFolder("scheduler.json"),
      });
    }
    if (hasControllers)
      await supervisor.until("the controllers work", () =>
        createClient(transport).request("GET", "/api/v1/namespaces/default/serviceaccounts/default"),
      );
    return { kubeconfig, hasControllers, hasScheduler, etcd: etcdUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const listed = (plugins?: readonly string[]) => (plugins?.length ? plugins.join(",") : undefined);
