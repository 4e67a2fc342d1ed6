import { isConflict } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { hasFinalizer, removeFinalizer } from "../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { send } from "../../shared/kubernetes/write.ts";
import { progressKey } from "../../shared/progress.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";

/** Claims that carry our finalizer: without the functions nobody would ever let them go. */
export async function protectedClaims(client: Client): Promise<KubernetesObject[]> {
  const claims: KubernetesObject[] = [];
  for await (const claim of client.list(PersistentVolumeClaim, { metadataOnly: true })) {
    if (hasFinalizer(claim, holdfastProtection)) claims.push(claim);
  }
  return claims;
}

/** Takes our finalizer and annotation off claims; what else holds a claim that is being deleted goes on holding it. */
export async function unprotect(client: Client, claims: readonly KubernetesObject[]): Promise<void> {
  for (const { metadata } of claims) await unprotectOne(client, metadata.namespace, metadata.name);
}

async function unprotectOne(client: Client, namespace: string | undefined, name: string): Promise<void> {
  const annotations = [progressKey("pvc-protection/release")];
  for (let attempt = 1; ; attempt++) {
    const claim = await client.get<KubernetesObject>(PersistentVolumeClaim, namespace, name, { metadataOnly: true });
    if (!claim || !hasFinalizer(claim, holdfastProtection)) return;
    try {
      return await send(client, removeFinalizer(PersistentVolumeClaim, claim, holdfastProtection, annotations));
    } catch (error) {
      // Somebody else wrote the claim in this moment.
      if (!isConflict(error) || attempt === 5) throw error;
    }
  }
}
