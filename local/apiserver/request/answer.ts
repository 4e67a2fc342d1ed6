import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Resource } from "../resource.ts";
import type { Stored } from "../store/stored.ts";

/** What a verb found or did, before it is put into the representation that the client asked for. */
export type Answer =
  | { readonly type: "stored"; readonly status: number; readonly resource: Resource; readonly stored: Stored }
  | { readonly type: "object"; readonly status: number; readonly resource?: Resource; readonly object: Unstored }
  | {
      readonly type: "list";
      readonly resource: Resource;
      readonly items: readonly Stored[];
      readonly version: number;
      readonly next?: string;
      readonly remaining?: number;
    }
  | { readonly type: "lines"; readonly resource: Resource; readonly body: AsyncIterable<string> };

/** An object that is not in the store: a Status, the outcome of a dry run, the answer of a subresource. */
export type Unstored = Omit<KubernetesObject, "metadata"> & { metadata?: KubernetesObject["metadata"] };
