import { z } from "zod";
import { readWith } from "../../eventing/manifest/unobeyable.ts";
import { readGoDuration } from "../../shared/kubernetes/go-duration.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { allToLatest, type TrafficTarget, traffic } from "./traffic.ts";

/** What a revision of a Knative Service runs, as far as it can be obeyed by a process on this machine. */
export interface Plan {
  readonly namespace: string;
  /** The Service's name. */
  readonly service: string;
  readonly image: string;
  /** Labels of the template, which every pod of the revision has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  /** ConfigMaps whose entries are variables, too; the environment overrides them. */
  readonly configMaps: readonly Source[];
  /** Secrets whose entries are files, by the last part of the path at which they are mounted. */
  readonly secrets: readonly (Source & { readonly folder: string })[];
  /** The identity the function has towards the API server. */
  readonly serviceAccount: string;
  /** It is not given a token of that account. */
  readonly hasNoToken?: true;
  /** Requests one instance handles at once; 0: no limit. */
  readonly concurrency: number;
  /** Milliseconds one request may take, the wait for an instance included; also the grace period of an instance. */
  readonly timeout: number;
  readonly scale: Scale;
}

/** When a revision has its instance; from its `autoscaling.knative.dev/` annotations. */
export interface Scale {
  /** 0, or as many as there are here: one. */
  readonly min: number;
  /** Milliseconds without a request after which it goes. */
  readonly window: number;
}

/** An object that a container takes something from. */
export interface Source {
  readonly name: string;
  /** The function starts without it. */
  readonly optional: boolean;
}

/** What a Knative Service wants. */
export interface Wanted {
  /** What its newest revision runs. */
  readonly plan: Plan;
  /** The name that the template gives its revision; absent: it is numbered. */
  readonly revision?: string;
  /** Who gets its requests. */
  readonly traffic: readonly TrafficTarget[];
}

/** Fields without effect, because a process on a laptop has no such thing: node placement, limits, images. */
const meaningless = (...names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));

const source = z.strictObject({ name: z.string(), optional: z.boolean().default(false) });

const container = z.strictObject({
  image: z.string(),
  // A process listens on a free port, and not on the container's; h2c would need another client.
  ports: z
    .tuple([
      z.strictObject({
        containerPort: z.number(),
        name: z.literal(["http1", ""]).optional(),
        protocol: z.literal("TCP").optional(),
      }),
    ])
    .optional(),
  env: z.array(z.strictObject({ name: z.string(), value: z.string().default("") })).default([]),
  envFrom: z.array(z.strictObject({ configMapRef: source })).default([]),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
  // A process is ready when its port is open.
  ...meaningless("name", "readinessProbe", "livenessProbe", "resources", "securityContext", "imagePullPolicy"),
  ...meaningless("terminationMessagePath", "terminationMessagePolicy"),
});

const podSpec = z.strictObject({
  containers: z.tuple([container]),
  containerConcurrency: z.number().int().min(0).max(1000).default(0),
  timeoutSeconds: z.number().int().min(1).max(600).default(300),
  serviceAccountName: z.string().default("default"),
  automountServiceAccountToken: z.boolean().default(true),
  // Scratch space: the process has this machine's own. Credentials appear in a folder that the environment names;
  // other volumes would have to appear at a path of the container.
  volumes: z
    .array(
      z.union([
        z.strictObject({ name: z.string(), emptyDir: z.unknown() }),
        z.strictObject({
          name: z.string(),
          secret: z.strictObject({ secretName: z.string(), optional: z.boolean().default(false) }),
        }),
        // The authority of an API server with TLS, which the one here is without.
        z.strictObject({ name: z.string(), configMap: z.strictObject({ name: z.literal("kube-root-ca.crt") }) }),
      ]),
    )
    .default([]),
  ...meaningless("enableServiceLinks", "imagePullSecrets", "securityContext", "nodeSelector", "affinity"),
  ...meaningless("tolerations", "topologySpreadConstraints", "priorityClassName", "runtimeClassName"),
});

const count = z
  .string()
  .regex(/^\d{1,9}$/, "is no whole number, 0 or more")
  .transform(Number);

const window = z.string().transform((text, context) => {
  const ms = readGoDuration(text);
  if (ms !== undefined && ms >= 6000 && ms <= 3_600_000) return ms;
  context.addIssue("is no duration from 6s to 1h");
  return z.NEVER;
});

/** With the defaults of Knative's `config-autoscaler`; other annotations are nothing to the autoscaler. */
const annotations = z
  .record(z.string(), z.string())
  .transform((all): Record<string, string | undefined> => {
    return Object.fromEntries(Object.entries(all).filter(([key]) => key.startsWith("autoscaling.knative.dev/")));
  })
  .pipe(
    z.strictObject({
      "autoscaling.knative.dev/min-scale": count.default(0),
      // A revision has one instance at most.
      "autoscaling.knative.dev/max-scale": z.string().optional(),
      "autoscaling.knative.dev/window": window.default(60_000),
      // All requests come through the activator, which is so here in any case.
      "autoscaling.knative.dev/target-burst-capacity": z.literal("-1").optional(),
    }),
  )
  .transform(
    (read): Scale => ({
      min: read["autoscaling.knative.dev/min-scale"],
      window: read["autoscaling.knative.dev/window"],
    }),
  );

const service = z
  .looseObject({
    metadata: z.looseObject({ namespace: z.string().default("default"), name: z.string() }),
    spec: z.strictObject({
      template: z.strictObject({
        metadata: z
          .strictObject({
            name: z.string().optional(),
            annotations: annotations.prefault({}),
            labels: z.record(z.string(), z.string()).default({}),
            ...meaningless("creationTimestamp"),
          })
          .prefault({}),
        spec: podSpec,
      }),
      traffic: traffic.default(allToLatest),
    }),
  })
  .superRefine(({ metadata, spec }, context) => {
    const { name } = spec.template.metadata;
    if (name === undefined || name.startsWith(`${metadata.name}-`)) return;
    const path = ["spec", "template", "metadata", "name"];
    context.addIssue({ code: "custom", path, message: `does not begin with ${metadata.name}-` });
  });

/**
 * Reads what a Knative Service wants. Every field is obeyed, or known to mean nothing to a process on a laptop, or
 * refused.
 *
 * @throws Unobeyable naming every field that is refused.
 */
export function readService(object: KubernetesObject): Wanted {
  const { metadata, spec } = readWith(service, object);
  const { metadata: revision, spec: pod } = spec.template;
  const [{ image, env, envFrom, volumeMounts }] = pod.containers;
  const plan = {
    namespace: metadata.namespace,
    service: metadata.name,
    image,
    labels: revision.labels,
    environment: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    configMaps: envFrom.map(({ configMapRef }) => configMapRef),
    secrets: pod.volumes.flatMap((volume) => {
      const folder = volumeMounts
        .find(({ name }) => name === volume.name)
        ?.mountPath.split("/")
        .at(-1);
      if (!("secret" in volume) || !folder) return [];
      return [{ name: volume.secret.secretName, optional: volume.secret.optional, folder }];
    }),
    serviceAccount: pod.serviceAccountName,
    ...(pod.automountServiceAccountToken ? {} : { hasNoToken: true as const }),
    concurrency: pod.containerConcurrency,
    timeout: pod.timeoutSeconds * 1000,
    scale: revision.annotations,
  };
  return { plan, traffic: spec.traffic, ...(revision.name === undefined ? {} : { revision: revision.name }) };
}
