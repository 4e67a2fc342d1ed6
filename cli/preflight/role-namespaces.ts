import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, Namespace } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import { readSettings, variableOf } from "../../shared/settings.ts";
import type { Check } from "./finding.ts";

type Settings = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };

/**
 * Whether the namespaces are there in which functions of these rules have Roles beside Holdfast's own, which the
 * manifests bring. The environment names them, or else what is installed, or else the defaults. @throws ApiError
 */
export async function roleNamespaces(
  client: Client,
  rules: readonly Rule[],
  environment: NodeJS.ProcessEnv,
  installNamespace: string,
): Promise<readonly Check[]> {
  const naming = new Map<string, Rule>();
  for (const rule of rules)
    for (const { namespaceSetting } of rule.permissions) if (namespaceSetting) naming.set(namespaceSetting, rule);
  const checks: Check[] = [];
  for (const [setting, rule] of naming) {
    const [system] = rule.name.split("/");
    const variable = variableOf(setting);
    const installed = async () =>
      (await client.get<Settings>(ConfigMap, installNamespace, `holdfast-${system}`))?.data?.[variable];
    const defaults: Readonly<Record<string, unknown>> = readSettings(rule.settings, {});
    const name = environment[variable] || (await installed()) || String(defaults[setting]);
    const found = await client.get(Namespace, undefined, name, { metadataOnly: true });
    const example = `knative/examples/${variable.toLowerCase().replaceAll("_", "-")}`;
    checks.push(
      found
        ? { what: `Namespace ${name} is there.` }
        : {
            what: `Namespace ${name} is not there.`,
            why: `Functions of ${system} have Roles in this namespace. The API server refuses them until it exists.`,
            todo:
              `Run \`kubectl create namespace ${name}\`. Or change ${variable} and move the Roles, as in ${example}; ` +
              `then set ${variable} in your shell, too, and ask again.`,
          },
    );
  }
  return checks;
}
