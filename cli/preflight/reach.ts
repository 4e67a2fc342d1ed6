import { systemClock } from "../../shared/clock.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Secret } from "../../shared/kubernetes/kind.ts";
import type { Rule } from "../../shared/rule.ts";
import { connectSystems } from "../../shared/serve/connect-systems.ts";
import { SettingsError } from "../../shared/settings.ts";
import { readOnlyTransport } from "../../shared/system/read-only.ts";
import type { ExternalSystem } from "../../shared/system/system.ts";
import { SystemError } from "../../shared/system/system-error.ts";
import type { Check } from "./finding.ts";

/** How each external system is asked for something small that takes address, certificate and credentials. */
export type Probes = Readonly<Record<string, (client: never) => Promise<unknown>>>;

/** Whether external systems of these rules have their Secrets, answer from here, and let the account in. */
export async function externalSystems(
  client: Client,
  rules: readonly Rule[],
  probes: Probes,
  environment: NodeJS.ProcessEnv,
  namespace: string,
  gaps: string[],
): Promise<readonly Check[]> {
  const systems = new Map<string, ExternalSystem>();
  for (const rule of rules) for (const one of Object.values(rule.systems ?? {})) systems.set(one.name, one);
  const checks: Check[] = [];
  for (const system of systems.values()) {
    checks.push(...(await secretOf(client, system, namespace, gaps)));
    const probe = probes[system.name];
    if (probe) checks.push(...(await reach(system, probe, environment, gaps)));
  }
  return checks;
}

async function secretOf(client: Client, system: ExternalSystem, namespace: string, gaps: string[]): Promise<Check[]> {
  const name = `holdfast-${system.name}`;
  const needed = Object.entries(system.credentials).map(([file, { doc }]) => `${file} (${doc})`);
  try {
    // Its metadata is enough: what is in it stays there.
    const found = await client.get(Secret, namespace, name, { metadataOnly: true });
    if (found) return [{ what: `Secret ${namespace}/${name} is there.` }];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    gaps.push(`Whether Secret ${namespace}/${name} is there: you may not read it.`);
    return [];
  }
  const what = `Secret ${namespace}/${name} is not there.`;
  const why = `It holds what lets functions into ${system.name}.`;
  const isNote = Object.values(system.credentials).every(({ optional }) => optional);
  const todo = `Create it with what applies of: ${needed.join(" ")}`;
  return [{ what, why, todo, ...(isNote ? { isNote } : {}) }];
}

async function reach(
  system: ExternalSystem,
  probe: Probes[string],
  environment: NodeJS.ProcessEnv,
  gaps: string[],
): Promise<Check[]> {
  try {
    const connect = connectSystems({ it: system }, environment, systemClock, readOnlyTransport);
    await probe(connect(system) as never);
    return [{ what: `${system.name} answers from here, and lets the account in.` }];
  } catch (error) {
    if (error instanceof SettingsError)
      return [
        {
          what: error.message,
          why: `Whether ${system.name} can be reached is not known without it.`,
          todo: "Correct the setting, then ask again.",
        },
      ];
    if (!(error instanceof SystemError)) throw error;
    const isAway = error.failure === "unreachable" || error.failure === "overloaded";
    // The network here is not that of the cluster, and who asks to be left alone answers later: neither proves a thing.
    if (isAway) gaps.push(`Whether ${system.name} can be reached from the cluster: from here, ${error.message}`);
    return isAway
      ? []
      : [
          {
            what: error.message,
            why: `Functions would wait for ${system.name}.`,
            todo: "Correct address or credentials.",
          },
        ];
  }
}
