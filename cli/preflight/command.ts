import { Command } from "commander";
import type { OpenStack } from "../../functions/eviction/lib/openstack/system.ts";
import type { LinstorControllers } from "../../functions/satellite/lib/linstor/controllers.ts";
import type { Salt } from "../../functions/volume/lib/salt/client.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import { codeOf } from "../output/finding.ts";
import { type Format, formatted, withFormat } from "../output/format.ts";
import { defaultSystems, definitionNames, loadRules, systemNames } from "../rules/load-systems.ts";
import type { Subcommand } from "../subcommand.ts";
import { acceptedObjects } from "./accepted-objects.ts";
import { openEgress } from "./egress.ts";
import { knativeFeatures } from "./features.ts";
import { type Check, findingOf } from "./finding.ts";
import { otherInstallation } from "./other-installation.ts";
import { printChecks } from "./print.ts";
import { externalSystems, type Probes } from "./reach.ts";
import { rightsToInstall } from "./rights.ts";
import { roleNamespaces } from "./role-namespaces.ts";
import { servedSources } from "./sources.ts";
import { clusterApi, policiesOfOthers, storageClasses } from "./storage.ts";
import { knativeVersions, kubernetesVersion } from "./versions.ts";
import { whoElse } from "./who-else.ts";
import { yaooksOwn } from "./yaook.ts";

interface PreflightOptions extends ClusterOptions {
  readonly installNamespace: string;
  readonly output?: Format;
}

/** Each takes address, certificate and account, and changes nothing. */
const probes: Probes = {
  linstor: (linstor: LinstorControllers) => linstor.at(undefined).nodes.list(),
  openstack: ({ nova }: OpenStack) => nova.services(),
  salt: (salt: Salt) => salt.findJob("20260101000000000000", "holdfast-preflight"),
};

/** `holdfast preflight` */
export const preflight: Subcommand = {
  declare: () =>
    withFormat(
      withCluster(
        new Command("preflight")
          .summary("say whether a cluster is ready for an installation or an upgrade")
          .description(
            "Looks at versions, features of Knative, admission policies, rights, quotas, StorageClasses, Cluster " +
              "API, external systems, and who else does the same work. Each finding says what, why it matters, and " +
              "what to do. It writes nothing.",
          )
          .argument("[SYSTEM...]", "a system that you want to install, such as volume; without it, the default ones")
          .option("--install-namespace <NS>", "where Holdfast is, or will be, installed", "holdfast"),
      ),
    ),
  async run(names, { installNamespace, output, ...options }: PreflightOptions) {
    const unknown = names.find((name) => !systemNames().includes(name));
    if (unknown) throw new UserError(`There is no system ${unknown}; there are ${systemNames().join(", ")}.`);
    const systems = names.length > 0 ? names : await defaultSystems();
    const gaps: string[] = [];
    const { client } = openCluster(options);
    const checks = await lookAround(client, systems, installNamespace, gaps);
    if (output) process.stdout.write(formatted({ systems, checks, gaps }, output));
    else printChecks(checks, gaps, terminal(process.stdout));
    return codeOf({ findings: checks.flatMap(findingOf), gaps });
  },
};

/** All checks for these systems; what could not be looked at goes to `gaps`. @throws ApiError */
async function lookAround(client: Client, systems: readonly string[], namespace: string, gaps: string[]) {
  const [rules, definitions] = await Promise.all([loadRules(systems), definitionNames(systems)]);
  const served = await discover(client, (path) => gaps.push(`What ${path} serves: it does not answer.`));
  const brings = definitions.length > 0;
  const looks: readonly (readonly [string, () => Promise<readonly Check[]> | readonly Check[]])[] = [
    ["The version of Kubernetes", () => kubernetesVersion(client, served)],
    ["The version of Knative", () => knativeVersions(client)],
    ["Which features of Knative are on", () => knativeFeatures(client, served, namespace)],
    ["What the sources watch", () => servedSources(client, served, namespace)],
    ["What you may install", () => rightsToInstall(client, served, rules, namespace, brings)],
    ["What quotas and limits allow", () => acceptedObjects(client, namespace)],
    ["Which addresses functions may send to", () => openEgress(client, namespace)],
    ["In which namespaces Roles are", () => roleNamespaces(client, rules, process.env, namespace)],
    ["Whether Holdfast is in another namespace", () => otherInstallation(client, namespace)],
    ["Who else does the same work", () => whoElse(client, systems)],
    ["Which compute nodes Yaook keeps", () => yaooksOwn(client, systems)],
    ["Which sets have a policy of their own", () => policiesOfOthers(client, systems)],
    ["Which StorageClasses there are", () => storageClasses(client, systems)],
    ["The version of Cluster API", () => clusterApi(served, systems)],
    ["External systems", () => externalSystems(client, rules, probes, process.env, namespace, gaps)],
  ];
  const checks: Check[] = [];
  for (const [what, look] of looks) checks.push(...((await readOrNote(gaps, what, async () => look())) ?? []));
  return checks;
}
