import type { Client } from "../../shared/kubernetes/client.ts";
import type { ServedKind } from "../../shared/kubernetes/discover.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Check } from "./finding.ts";

const minimum = { kubernetes: [1, 34], policies: [1, 36], eventing: [1, 22, 2], serving: [1, 22] } as const;
const written = (version: readonly number[]) => version.join(".");

/** `v1.36.3-gke.1` as numbers; `undefined` where it is no version. */
export function readVersion(text: string): readonly number[] | undefined {
  const [, ...numbers] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return numbers.length > 0 ? numbers.filter((one) => one !== undefined).map(Number) : undefined;
}

/** Whether a version is at least another one. */
export function isAtLeast(version: readonly number[], wanted: readonly number[]): boolean {
  const difference = wanted.map((number, index) => (version[index] ?? 0) - number).find((one) => one !== 0);
  return difference === undefined || difference > 0;
}

/** The version of Kubernetes, and the policies that the API server itself evaluates. @throws ApiError */
export async function kubernetesVersion(client: Client, served: readonly ServedKind[]): Promise<readonly Check[]> {
  const { gitVersion } = await client.request<{ gitVersion: string }>("GET", "/version");
  const version = readVersion(gitVersion);
  const has = (kind: string) =>
    served.some((one) => one.apiVersion === "admissionregistration.k8s.io/v1" && one.kind === kind);
  const old: Check = {
    what: `This is Kubernetes ${gitVersion}.`,
    why: `Holdfast needs ${written(minimum.kubernetes)} or newer, and is tested with no older one.`,
    todo: "Upgrade Kubernetes first.",
  };
  const good: Check = { what: `This is Kubernetes ${gitVersion}.` };
  const policies: Check = has("MutatingAdmissionPolicy")
    ? { what: "The API server evaluates admission policies that change objects." }
    : {
        what: "The API server does not serve MutatingAdmissionPolicy in version v1.",
        why:
          `From ${written(minimum.policies)} on it puts finalizers on in the very request; without it a claim is ` +
          "unprotected for the moment until its event arrives.",
        todo: "Install the overlay default instead of admission-policies.",
        isNote: true,
      };
  const bounds: readonly Check[] = has("ValidatingAdmissionPolicy")
    ? []
    : [
        {
          what: "The API server does not serve ValidatingAdmissionPolicy in version v1.",
          why: "Holdfast's manifests have one for each function, which holds its account to what it declares.",
          todo: "Enable the API, or upgrade Kubernetes.",
        },
      ];
  return [version && !isAtLeast(version, minimum.kubernetes) ? old : good, policies, ...bounds];
}

const Definition: Kind = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** Knative's version, as its definitions say it. @throws ApiError */
export async function knativeVersions(client: Client): Promise<readonly Check[]> {
  const [eventing, serving] = await Promise.all([
    releaseOf(client, "brokers.eventing.knative.dev"),
    releaseOf(client, "services.serving.knative.dev"),
  ]);
  if (eventing === undefined && serving === undefined)
    return [
      {
        what: "Knative is not installed.",
        why: "Functions then always run, and Holdfast's own source and broker bring the events.",
        todo: "Install the overlay no-knative, or install Knative Serving and Eventing first.",
        isNote: true,
      },
    ];
  return [
    checkOf("Knative Eventing", eventing, minimum.eventing, "Earlier releases of 1.22 leak memory and lose filters."),
    checkOf("Knative Serving", serving, minimum.serving, "Holdfast is tested with no older one."),
  ];
}

/** Empty where the definition does not say its release. */
async function releaseOf(client: Client, name: string): Promise<string | undefined> {
  const definition = await client.get<KubernetesObject>(Definition, undefined, name, { metadataOnly: true });
  return definition && (definition.metadata.labels?.["app.kubernetes.io/version"] ?? "");
}

function checkOf(name: string, release: string | undefined, wanted: readonly number[], why: string): Check {
  const needed = `${name} ${written(wanted)} or newer`;
  if (release === undefined)
    return {
      what: `${name} is not installed, although the other half of Knative is.`,
      why: "Holdfast's default manifests need both.",
      todo: `Install ${needed}, or use the overlay no-knative.`,
    };
  const version = readVersion(release);
  if (!version)
    return { what: `${name} does not say its version.`, why, todo: `Look whether it is ${needed}.`, isNote: true };
  return isAtLeast(version, wanted)
    ? { what: `${name} is ${release}.` }
    : { what: `${name} is ${release}.`, why, todo: `Upgrade to ${needed}.` };
}
