import { z } from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Features } from "../features.ts";
import { compileAttributes, compileFilters, type Filter } from "../filter/filter.ts";
import { type Delivery, delivery } from "./delivery.ts";
import { type Destination, destination } from "./destination.ts";
import { attributesFilter, filters } from "./filters.ts";
import { metadata } from "./metadata.ts";
import { readWith } from "./unobeyable.ts";

/** What a Trigger asks for, its filter compiled. */
export interface TriggerPlan {
  readonly namespace: string;
  readonly name: string;
  readonly broker: string;
  readonly filter: Filter;
  readonly subscriber: Destination;
  /** Stands alone when it is there: nothing but a missing dead-letter sink is taken from the Broker. */
  readonly delivery?: Delivery | undefined;
}

/** Reads a Trigger; throws `Unobeyable`, also for fields that Knative's own schema would silently keep. */
export function readTrigger(object: KubernetesObject, features: Features): TriggerPlan {
  const schema = z
    .looseObject({
      metadata: metadata([]),
      spec: z.strictObject({
        broker: z.string().min(1),
        filter: z.strictObject({ attributes: attributesFilter.default({}) }).optional(),
        filters: filters.default([]),
        subscriber: destination,
        delivery: delivery(features).optional(),
      }),
    })
    .transform(({ metadata, spec }) => ({
      namespace: metadata.namespace,
      name: metadata.name,
      broker: spec.broker,
      filter: spec.filters.length
        ? compileFilters(spec.filters)
        : compileAttributes(spec.filter ? spec.filter.attributes : {}),
      subscriber: spec.subscriber,
      delivery: spec.delivery,
    }));
  return readWith(schema, object);
}
