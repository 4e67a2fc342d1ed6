import { readTable } from "../../functions/platform/sweep/table.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { slug } from "../../shared/rule.ts";

interface Reference {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

const keyOf = ({ kind, namespace = "", name }: Reference) => `${kind} ${namespace}/${name}`;

/** What makes an object the same as another: two of them in one install would overwrite each other. */
export function identityOf({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject): string {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return `${group} ${keyOf({ kind, name, ...(namespace ? { namespace } : {}) })}`;
}

/** Namespaces that are not Holdfast's to make: those of the satellites. */
const others = ["piraeus-datastore", "linstor", "yaook", "openstack"];

/** The references between these objects that lead nowhere. */
export function danglingReferences(objects: readonly KubernetesObject[]): readonly string[] {
  const present = new Set(
    objects.map(({ kind, metadata: { namespace, name } }) =>
      keyOf({ kind, name, ...(namespace ? { namespace } : {}) }),
    ),
  );
  return objects.flatMap((object) =>
    referencesOf(object)
      .filter((reference) => !present.has(keyOf(reference)))
      .map((reference) => `${object.kind} ${object.metadata.name} refers to ${keyOf(reference)}, which there is not.`),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: the schemas have seen these objects.
function referencesOf(object: any): readonly Reference[] {
  const { kind, spec, metadata } = object;
  const { namespace } = metadata;
  const home = namespace && !others.includes(namespace) ? [{ kind: "Namespace", name: namespace }] : [];
  // What a reference of Knative leaves out is the namespace of the object that has it.
  const here = (reference: Reference): Reference => ({ namespace, ...reference });
  switch (kind) {
    case "Trigger":
      return [
        ...home,
        here({ kind: "Broker", name: spec.broker }),
        // What a tag stands for has the name of a Service behind the tag's.
        here(pick(spec.subscriber.ref ?? serviceBehind(spec.subscriber.uri))),
        here(pick(spec.delivery.deadLetterSink.ref)),
      ];
    case "ConfigMap":
      return [...home, ...(object.data?.["table.yaml"] ? rowsOf(object).map(here) : [])];
    case "EventTransform":
      return [...home, here(pick(spec.sink.ref))];
    case "Deployment":
      return [
        ...home,
        here({ kind: "ServiceAccount", name: spec.template.spec.serviceAccountName }),
        ...(spec.template.spec.volumes ?? []).map(({ configMap }: { configMap: { name: string } }) =>
          here({ kind: "ConfigMap", name: configMap.name }),
        ),
      ];
    case "Service":
      // Kubernetes' own has the name of the Deployment behind it.
      if (object.apiVersion === "v1") return [...home, here({ kind: "Deployment", name: metadata.name })];
      return [...home, here({ kind: "ServiceAccount", name: spec.template.spec.serviceAccountName })];
    case "ApiServerSource":
      return [...home, here(pick(spec.sink.ref)), here({ kind: "ServiceAccount", name: spec.serviceAccountName })];
    case "PingSource":
      return [...home, here(pick(spec.sink.ref))];
    case "ClusterRoleBinding":
    case "RoleBinding": {
      const { kind, name } = object.roleRef;
      const role = kind === "Role" ? here({ kind, name }) : { kind, name };
      return [...home, ...(name.startsWith("system:") ? [] : [role]), ...object.subjects.map(pick)];
    }
    case "MutatingAdmissionPolicyBinding":
      return [{ kind: "MutatingAdmissionPolicy", name: spec.policyName }];
    case "ValidatingAdmissionPolicyBinding":
      return [{ kind: "ValidatingAdmissionPolicy", name: spec.policyName }];
    default:
      return home;
  }
}

/** The functions that a table of the sweep serves, and the brokers that it sends to. */
function rowsOf({ metadata: { namespace = "" }, data }: KubernetesObject): readonly Reference[] {
  const { rows } = readTable((data as Record<string, string>)["table.yaml"] ?? "", namespace);
  return rows.flatMap(({ rule, listed = true, sink }) => {
    const { hostname, pathname } = new URL(sink);
    const [host = ""] = hostname.split(".");
    const broker = { kind: "Broker", name: pathname.split("/").at(-1) ?? "" };
    // Without Knative the brokers are in the process that is given them as files.
    // What is only sent again names a broker, whether the function is on or off.
    return [
      ...(listed ? [{ kind: "Service", name: slug(rule) }] : []),
      host.endsWith("broker-ingress") ? broker : { kind: "Service", name: host },
    ];
  });
}

function serviceBehind(uri: string): Reference {
  const [host = ""] = new URL(uri).hostname.split(".");
  return { kind: "Service", name: host.slice(host.indexOf("-") + 1) };
}

const pick = ({ kind, name, namespace }: Reference): Reference => ({ kind, name, ...(namespace ? { namespace } : {}) });
