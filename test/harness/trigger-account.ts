import { createHash } from "node:crypto";

/** The account in whose name Knative 1.22 delivers for a Trigger: `ChildName` of knative.dev/pkg, in lower case. */
export function accountOf(trigger: string): string {
  const suffix = "-oidc-eventing.knative.dev-Trigger";
  if (trigger.length + suffix.length <= 63) return `${trigger}${suffix}`.toLowerCase();
  const hash = createHash("md5").update(`${trigger}${suffix}`).digest("hex");
  return `${trigger.slice(0, 31)}${hash}`;
}
