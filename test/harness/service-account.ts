import type { Client } from "../../shared/kubernetes/client.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import { ServiceAccount } from "./kinds.ts";

/** A bearer token of a service account, as the kubelet would mount it into a pod. */
export async function tokenOf(admin: Client, namespace: string, name: string): Promise<string> {
  const path = pathOf(ServiceAccount, namespace, name, "token");
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } };
  const { status } = await admin.request<{ status: { token: string } }>("POST", path, body);
  return status.token;
}
