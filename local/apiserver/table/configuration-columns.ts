import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import { ageOf } from "./age.ts";
import { column, labelsText, nameColumn, orNone, type Printer, text, wide } from "./printer.ts";

const size = (object: Fields, ...names: string[]) =>
  names.reduce((sum, name) => sum + Object.keys(fieldsAt(object, name)).length, 0);
const age = (object: Fields, now: number) => ageOf(fieldsAt(object, "metadata").creationTimestamp, now);
const name = (object: Fields) => fieldsAt(object, "metadata").name;

/** ConfigMaps. */
export const configMapPrinter: Printer = {
  columns: [nameColumn, column("Data"), column("Age")],
  cells: (map, now) => [name(map), size(map, "data", "binaryData"), age(map, now)],
};

/** Secrets. */
export const secretPrinter: Printer = {
  columns: [nameColumn, column("Type"), column("Data"), column("Age")],
  cells: (secret, now) => [name(secret), text(secret.type), size(secret, "data"), age(secret, now)],
};

/** What has nothing to show but its age. */
export const agePrinter: Printer = {
  columns: [nameColumn, column("Age")],
  cells: (object, now) => [name(object), age(object, now)],
};

/** What the API server has no printer for: kubectl turns the date into an age. */
export const plainPrinter: Printer = {
  columns: [nameColumn, column("Created At", "date")],
  cells: (object) => [name(object), fieldsAt(object, "metadata").creationTimestamp ?? null],
};

/** Services. */
export const servicePrinter: Printer = {
  columns: [
    nameColumn,
    column("Type"),
    column("Cluster-IP"),
    column("External-IP"),
    column("Port(s)"),
    column("Age"),
    wide("Selector"),
  ],
  cells(service, now) {
    const spec = specOf(service);
    const [clusterIP] = Array.isArray(spec.clusterIPs) ? spec.clusterIPs : [spec.clusterIP];
    return [
      name(service),
      text(spec.type),
      orNone(clusterIP),
      externalAddress(service),
      ports(spec),
      age(service, now),
      labelsText(fieldsAt(spec, "selector")),
    ];
  },
};

function externalAddress(service: Fields): string {
  const spec = specOf(service);
  const external: unknown[] = Array.isArray(spec.externalIPs) ? spec.externalIPs : [];
  if (spec.type === "ExternalName") return text(spec.externalName);
  if (spec.type !== "LoadBalancer") return orNone(external.join(","));
  const ingress = objectsIn(fieldsAt(statusOf(service), "loadBalancer"), "ingress");
  const addresses = [...ingress.map(({ ip, hostname }) => text(ip ?? hostname)), ...external];
  return addresses.join(",") || "<pending>";
}

function ports(spec: Fields): string {
  const list = objectsIn(spec, "ports").map(({ port, nodePort, protocol = "TCP" }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return orNone(list.join(","));
}

/** RoleBindings and ClusterRoleBindings. */
export const bindingPrinter: Printer = {
  columns: [nameColumn, column("Role"), column("Age"), wide("Users"), wide("Groups"), wide("ServiceAccounts")],
  cells(binding, now) {
    const { kind, name: role } = fieldsAt(binding, "roleRef");
    const subjects = (wanted: string) => objectsIn(binding, "subjects").filter((subject) => subject.kind === wanted);
    const names = (wanted: string) => subjects(wanted).map((subject) => text(subject.name));
    const accounts = subjects("ServiceAccount").map((account) => `${text(account.namespace)}/${text(account.name)}`);
    return [
      name(binding),
      `${text(kind)}/${text(role)}`,
      age(binding, now),
      names("User").join(", "),
      names("Group").join(", "),
      accounts.join(", "),
    ];
  },
};

const printerOfPolicies = (counted: string, field: string): Printer => ({
  columns: [nameColumn, column(counted, "integer"), column("ParamKind"), column("Age")],
  cells(policy, now) {
    const { apiVersion, kind } = fieldsAt(specOf(policy), "paramKind");
    const param = kind ? `${text(apiVersion)}/${text(kind)}` : "<unset>";
    return [name(policy), objectsIn(specOf(policy), field).length, param, age(policy, now)];
  },
});

/** MutatingAdmissionPolicies. */
export const policyPrinter = printerOfPolicies("Mutations", "mutations");

/** ValidatingAdmissionPolicies. */
export const validatingPolicyPrinter = printerOfPolicies("Validations", "validations");

/** Bindings of either. */
export const policyBindingPrinter: Printer = {
  columns: [nameColumn, column("PolicyName"), column("ParamRef"), column("Age")],
  cells: (binding, now) => [name(binding), text(specOf(binding).policyName), "<unset>", age(binding, now)],
};
