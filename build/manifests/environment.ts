import type { Declared } from "./declared.ts";
import { systemOf } from "./declared.ts";
import { labelsOf, namespace } from "./metadata.ts";
import { commonSettingsOf } from "./settings.ts";
import { toYaml, wrap } from "./yaml.ts";

/** The ConfigMap by which the functions of a system are set together. */
export const settingsConfigMap = (system: string): string => `holdfast-${system}`;

/** The Secret with the credentials of an external system. */
export const secretOf = (externalSystem: string): string => `holdfast-${externalSystem}`;

/** The external systems whose Secrets are mounted in a function's pod. */
export const mountedSecrets = ({ systems = {}, mounts = [] }: Declared): readonly string[] => [
  ...Object.values(systems).map(({ name }) => name),
  ...mounts,
];

const rootCa = "kube-root-ca";

/**
 * What a function's Service takes from elsewhere: the settings of its system from a ConfigMap, and the credentials of
 * each of its external systems from a Secret, as files that a setting names. All may be absent: the defaults, and
 * systems that ask for no credentials, need none.
 */
export function environmentOf(declared: Declared): { readonly container: object; readonly pod: object } {
  const shared = commonSettingsOf([declared]).length > 0;
  const secrets = mountedSecrets(declared);
  const configMapRef = { name: settingsConfigMap(systemOf(declared)), optional: true };
  const mounts = secrets.map((name) => ({ name, mountPath: `/etc/holdfast/${name}`, readOnly: true }));
  const volumes: object[] = secrets.map((name) => ({ name, secret: { secretName: secretOf(name), optional: true } }));
  if (declared.anonymous) {
    mounts.push({ name: rootCa, mountPath: `/etc/holdfast/${rootCa}`, readOnly: true });
    // Kubernetes keeps it in every namespace, which is all that an account without a token gets of it.
    volumes.push({ name: rootCa, configMap: { name: "kube-root-ca.crt" } });
  }
  return {
    container: {
      ...(shared ? { envFrom: [{ configMapRef }] } : {}),
      ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
    },
    pod: {
      ...(declared.anonymous ? { automountServiceAccountToken: false } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

/** The ConfigMap of a system's settings, as YAML with a comment on each; `undefined` where its functions share none. */
export function commonSettings(system: string, functions: readonly Declared[]): string | undefined {
  const settings = commonSettingsOf(functions);
  if (settings.length === 0) return undefined;
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: settingsConfigMap(system), namespace, labels: labelsOf(`${system}/settings`) },
    data: Object.fromEntries(settings.map(({ variable, value }) => [variable, value])),
  };
  const comments = settings.map(({ variable, values, description }) => {
    const choice = values ? `One of ${values.join(", ")}. ` : "";
    return { at: ["data", variable], text: wrap(`${choice}${description}`, 90) };
  });
  return toYaml(configMap, comments);
}
