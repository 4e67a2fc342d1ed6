import type { z } from "zod";
import { UserError } from "../../shared/command/user-error.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/**
 * An object asks for something that Knative would reject or that this program would have to ignore. The message names
 * the object and every such field.
 */
export class Unobeyable extends UserError {
  override readonly name = "Unobeyable";
}

/** Reads an object with a schema; throws {@link Unobeyable}. */
export function readWith<T>(schema: z.ZodType<T>, object: KubernetesObject): T {
  const result = schema.safeParse(object);
  if (result.success) return result.data;
  const { namespace, name } = object.metadata ?? {};
  const problems = result.error.issues.map(describeIssue).join("; ");
  throw new Unobeyable(`${object.kind} ${namespace ? `${namespace}/` : ""}${name}: ${problems}.`);
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${pathOf([...issue.path, key])} is not obeyed`).join("; ");
  }
  return `${pathOf(issue.path)}: ${issue.message}`;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = String(step);
      return /^\w+$/.test(name) ? `${index ? "." : ""}${name}` : `[${JSON.stringify(name)}]`;
    })
    .join("");
}
