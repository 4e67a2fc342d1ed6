import { isForbidden } from "../../shared/kubernetes/api-error.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import { ConfigMap, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./kinds.ts";
import { configMap, manifest } from "./manifest.ts";
import type { Server } from "./server.ts";

/**
 * Waits until the API server has read every ValidatingAdmissionPolicy that was created or deleted before. A real server
 * learns of them by watching, in the order of the writes. So it has read all earlier ones when one more policy, which
 * this function creates, has an effect. Until then the server holds a function to the policy of the Holdfast that was
 * installed before.
 */
export async function policiesInForce({ admin, eventually, freshName }: Server): Promise<void> {
  const name = freshName();
  await admin.create(ValidatingAdmissionPolicy, {
    ...manifest(ValidatingAdmissionPolicy, { name }),
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
      matchConditions: [{ name: "is-the-probe", expression: `object.metadata.name == "${name}"` }],
      validations: [{ expression: "false", reason: "Forbidden" }],
    },
  });
  await admin.create(ValidatingAdmissionPolicyBinding, {
    ...manifest(ValidatingAdmissionPolicyBinding, { name }),
    spec: { policyName: name, validationActions: ["Deny"] },
  });
  const probe = configMap({ name, namespace: "default" });
  try {
    await eventually("the policies are in force", () =>
      admin.request("POST", `${pathOf(ConfigMap, "default")}?dryRun=All`, probe).then(
        () => false,
        (error) => {
          if (!isForbidden(error)) throw error;
          return true;
        },
      ),
    );
  } finally {
    await admin.delete(ValidatingAdmissionPolicyBinding, undefined, name);
    await admin.delete(ValidatingAdmissionPolicy, undefined, name);
  }
}
