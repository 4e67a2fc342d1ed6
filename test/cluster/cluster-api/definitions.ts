import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { webhookAuthority } from "./machine-manager.ts";

const read = (file: string): KubernetesObject[] =>
  parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS() as KubernetesObject);

const caBundle = Buffer.from(webhookAuthority).toString("base64");

/**
 * Cluster API's CustomResourceDefinitions in a folder, with conversion at these webhooks, and those of an
 * infrastructure without a controller.
 */
export function definitionsIn(folder: string, webhooks: string): readonly KubernetesObject[] {
  const own = globSync(join(folder, "*cluster.x-k8s.io_*.yaml")).flatMap(read);
  if (own.length === 0) throw new Error(`There are no definitions of Cluster API in ${folder}.`);
  const clientConfig = { url: `${webhooks}/convert`, caBundle };
  const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
  const converted = own.map((definition) => ({ ...definition, spec: { ...(definition.spec as object), conversion } }));
  return [...converted, ...read(join(folder, "generic-infrastructure.yaml"))];
}

type Webhook = { readonly clientConfig: { readonly service: { readonly path: string } } };

/** Its admission webhooks in the same folder, asked at this address. */
export function admissionIn(folder: string, webhooks: string): readonly KubernetesObject[] {
  return read(join(folder, "webhooks.yaml")).map((configuration) => ({
    ...configuration,
    metadata: { ...configuration.metadata, name: `holdfast-test-${configuration.metadata.name}` },
    webhooks: (configuration.webhooks as readonly Webhook[]).map((webhook) => ({
      ...webhook,
      clientConfig: { url: `${webhooks}${webhook.clientConfig.service.path}`, caBundle },
    })),
  }));
}
