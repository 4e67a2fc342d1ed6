import { confined } from "../../shared/confined.ts";
import { slug } from "../../shared/rule.ts";
import type { Declared } from "./declared.ts";
import { environmentOf } from "./environment.ts";
import { deadLetterFunction, labelsOf, workloadMetadataOf } from "./metadata.ts";
import { type Setting, settingsOf } from "./settings.ts";
import { type Comment, toYaml, wrap } from "./yaml.ts";

/** Seconds that a request may take, waiting for an instance included; also an instance's grace period. */
export const requestSeconds = 300;

/**
 * Nothing is left out here that Knative's webhook would fill in, and nothing is there that it would leave out: tools
 * that compare what was applied with what is there compare lists as a whole, and would find that every Service has
 * changed. Port 0 is the traffic's.
 */
const container = {
  name: "user-container",
  // What the function listens for is open when it has read its settings: Knative's own TCP check of the port, many
  // times a second while the instance starts, says all that /health/ready would. A period or a startup probe would slow
  // it down.
  readinessProbe: { successThreshold: 1, tcpSocket: { port: 0 } },
  livenessProbe: { httpGet: { path: "/health/live", port: 0 }, timeoutSeconds: 5, failureThreshold: 6 },
  ...confined,
};

/**
 * One that takes one request at a time is meant to be alone; of others, few: requests of one instance share their
 * reads.
 */
const maxScale = (concurrency: number) => (concurrency === 1 ? "1" : "3");

/** The Knative Service of a function, as YAML: reachable inside the cluster only, at zero while nothing happens. */
export function serviceOf(declared: Declared): string {
  const { name, concurrency = 20, idle = 15 } = declared;
  const settings = settingsOf(declared);
  const { labels, ...metadata } = workloadMetadataOf(name);
  const environment = environmentOf(declared);
  const service = {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: { ...metadata, labels: { ...labels, "networking.knative.dev/visibility": "cluster-local" } },
    spec: {
      template: {
        metadata: {
          labels: labelsOf(name),
          annotations: {
            "autoscaling.knative.dev/min-scale": "0",
            "autoscaling.knative.dev/max-scale": maxScale(concurrency),
            "autoscaling.knative.dev/window": `${idle}s`,
            // Its NetworkPolicy admits the activator and not the network layer, so all requests must come through it.
            ...(name === deadLetterFunction ? { "autoscaling.knative.dev/target-burst-capacity": "-1" } : {}),
          },
        },
        spec: {
          serviceAccountName: slug(name),
          enableServiceLinks: false,
          containerConcurrency: concurrency,
          timeoutSeconds: requestSeconds,
          containers: [
            {
              image: `fn://${name}`,
              env: variablesOf(settings),
              ...environment.container,
              ...container,
            },
          ],
          ...environment.pod,
        },
      },
    },
  };
  return toYaml(service, commentsOn(settings));
}

/** Settings as variables. The API server drops an empty value, and tools would put it back with every apply. */
export const variablesOf = (settings: readonly Setting[]) =>
  settings.map(({ variable, value }) => ({ name: variable, ...(value === "" ? {} : { value }) }));

/** What a container with an image and these variables says of them, at its place in a Service or a Deployment. */
export function commentsOn(settings: readonly Setting[]): readonly Comment[] {
  const at = ["spec", "template", "spec", "containers", 0];
  const comments = settings.map(({ description, values }, index): Comment => {
    const choice = values ? `One of ${values.join(", ")}. ` : "";
    return { at: [...at, "env", index], text: wrap(`${choice}${description}`, 90) };
  });
  return [
    { at, text: "The image is a placeholder, to be replaced by an overlay: see docs/install-knative.md." },
    ...comments,
  ];
}
