import type { Resource } from "../resource.ts";
import type { Stored } from "../store/stored.ts";

/** What a verb found or did, before it is put into the representation that the client asked for. */
export type Answer =
  | { readonly type: "stored"; readonly status: number; readonly resource: Resource; readonly stored: Stored }
  /** An object that is not in the store: a Status, a review, a Scale, discovery. */
  | { readonly type: "object"; readonly status: number; readonly object: object }
  | {
      readonly type: "list";
      readonly resource: Resource;
      readonly items: readonly Stored[];
      readonly version: number;
      readonly next?: string;
      readonly remaining?: number;
    }
  | { readonly type: "stream"; readonly body: AsyncIterable<string> };
