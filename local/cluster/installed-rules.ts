import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { loadDeclaration } from "../../shared/load-declaration.ts";
import type { Rule } from "../../shared/rule.ts";

const functions = join(import.meta.dirname, "../../functions");

interface FunctionService extends KubernetesObject {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly image: string }] } };
  };
}

/**
 * The declarations of the rules whose Services are among the repository's manifests, whose images are
 * `fn://<system>/<rule>`. Functions that are no rules are left out.
 */
export async function installedRules(objects: readonly KubernetesObject[]): Promise<readonly Rule[]> {
  const services = objects.filter(
    ({ kind, apiVersion }) => kind === "Service" && apiVersion.startsWith("serving.knative.dev/"),
  );
  const rules = (services as unknown as readonly FunctionService[]).map(async ({ spec }) => {
    const name = spec.template.spec.containers[0].image.replace("fn://", "");
    const file = join(functions, name, "rule.ts");
    return existsSync(file) ? loadDeclaration<Rule>(file, name) : undefined;
  });
  return (await Promise.all(rules)).filter((rule) => rule !== undefined);
}
