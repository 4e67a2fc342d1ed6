import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { someOf } from "../../shared/uninstall/some-of.ts";
import type { Check } from "./finding.ts";

type Spec = { readonly filters?: readonly unknown[]; readonly subscriber?: { readonly audience?: string } };
type Feature = {
  readonly name: string;
  readonly component: string;
  /** Objects of the component are of this kind, and these ask for the feature. */
  readonly kind: Kind;
  readonly asks: (spec: Spec) => boolean;
  readonly why: string;
};

/** Features of Knative Eventing that are off by default, each with the component that needs it. */
const features: readonly Feature[] = [
  {
    name: "new-apiserversource-filters",
    component: "source-filters",
    kind: {
      apiVersion: "sources.knative.dev/v1",
      kind: "ApiServerSource",
      plural: "apiserversources",
      namespaced: true,
    },
    asks: ({ filters }) => filters !== undefined,
    why: "Knative refuses each change of a source with filters. So an upgrade does not change it.",
  },
  {
    name: "authentication-oidc",
    component: "oidc",
    kind: { apiVersion: "eventing.knative.dev/v1", kind: "Trigger", plural: "triggers", namespaced: true },
    asks: ({ subscriber }) => subscriber?.audience !== undefined,
    why: "Brokers send no tokens, and the functions of these Triggers refuse every event without one.",
  },
];

/** Which features of Knative are on that components need, and what needs one that is off. @throws ApiError */
export async function knativeFeatures(client: Client, served: readonly Kind[], namespace: string) {
  const isServed = ({ apiVersion, kind }: Kind) =>
    served.some((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (!features.every(({ kind }) => isServed(kind))) return [];
  type Config = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };
  const config = await client.get<Config>(ConfigMap, "knative-eventing", "config-features");
  return Promise.all(
    features.map(async ({ name, component, kind, asks, why }): Promise<Check> => {
      if (config?.data?.[name]?.toLowerCase() === "enabled")
        return { what: `Knative's feature ${name} is on: the component ${component} works.` };
      const off = `Knative's feature ${name} is off`;
      const objects = await Array.fromAsync(client.list<KubernetesObject & { spec?: Spec }>(kind, { namespace }));
      const asking = objects.filter(({ spec = {} }) => asks(spec));
      if (asking.length === 0) return { what: `${off}. Only the component ${component} needs it.` };
      return {
        what: `${off}, and the component ${component} is installed: ${someOf(asking)}.`,
        why,
        todo: `Set ${name}: enabled in ConfigMap knative-eventing/config-features, or remove the component.`,
      };
    }),
  );
}
