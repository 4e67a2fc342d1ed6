import type { Story } from "../story.ts";
import { documentList } from "./document-list.ts";
import { orphaning } from "./orphaning.ts";

/** Every story of PVC retention. Those that do not say where they are told are told in all settings. */
export const stories: readonly Story[] = [...documentList, ...orphaning];
