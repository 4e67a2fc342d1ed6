import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind, Secret } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Plan, Source } from "../serving/plan.ts";

type WithData = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };

/**
 * What a function takes from ConfigMaps and Secrets when it starts, as variables: entries of ConfigMaps as they are,
 * and those of Secrets as files below `folder`, readable by this user alone, where the function is told to look for
 * credentials.
 *
 * @throws Error when one is missing that the function cannot start without.
 */
export async function readEnvironment(
  client: Client,
  { namespace, service, configMaps, secrets }: Plan,
  folder: string,
): Promise<Record<string, string>> {
  const read = async (kind: Kind, { name, optional }: Source) => {
    const found = await client.get<WithData>(kind, namespace, name);
    if (!found && !optional)
      throw new Error(`${kind.kind} ${namespace}/${name} does not exist, and ${service} needs it.`);
    return found?.data ?? {};
  };
  const variables: Record<string, string> = {};
  for (const source of configMaps) Object.assign(variables, await read(ConfigMap, source));
  if (secrets.length === 0) return variables;
  const home = join(folder, "credentials", namespace, service);
  // What has been taken out of a Secret is to be gone.
  rmSync(home, { recursive: true, force: true });
  for (const secret of secrets) {
    const files = Object.entries(await read(Secret, secret));
    mkdirSync(join(home, secret.folder), { recursive: true, mode: 0o700 });
    for (const [file, text] of files)
      writeFileSync(join(home, secret.folder, file), Buffer.from(text, "base64"), { mode: 0o600 });
  }
  return { ...variables, HOLDFAST_CREDENTIALS: home };
}
