import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

interface Container {
  name?: string;
  env?: { name: string; value?: string }[];
  resources?: object;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  [field: string]: unknown;
}

interface Probe {
  httpGet?: { port?: number | string };
  tcpSocket?: { port?: number | string };
  successThreshold?: number;
  [field: string]: unknown;
}

/** The containers of a Knative Service, as its YAML says. */
export function containersOf({ spec }: KubernetesObject): readonly Container[] {
  return (spec as { template: { spec: { containers: readonly Container[] } } }).template.spec.containers;
}

/**
 * The containers of a Knative Service as they are stored: Knative's webhook names the one container, gives it a
 * readiness probe, and reads and writes the whole in Go, which adds fields that have no `omitempty` and drops empty
 * ones that have it.
 */
export function containersAsStored(service: KubernetesObject): readonly Container[] {
  return containersOf(service).map((container) => {
    const { readinessProbe = {}, livenessProbe, env, resources = {} } = container;
    const ready =
      readinessProbe.httpGet || readinessProbe.tcpSocket ? readinessProbe : { ...readinessProbe, tcpSocket: {} };
    return {
      ...container,
      name: container.name ?? "user-container",
      resources,
      readinessProbe: { successThreshold: 1, ...withPort(ready) },
      ...(livenessProbe ? { livenessProbe: withPort(livenessProbe) } : {}),
      ...(env ? { env: env.map(({ value, ...rest }) => (value ? { ...rest, value } : rest)) } : {}),
    };
  });
}

function withPort({ httpGet, tcpSocket, ...rest }: Probe): Probe {
  return {
    ...rest,
    ...(httpGet ? { httpGet: { port: 0, ...httpGet } } : {}),
    ...(tcpSocket ? { tcpSocket: { port: 0, ...tcpSocket } } : {}),
  };
}
