import type { Story } from "../story.ts";
import { comingBack } from "./coming-back.ts";
import { namespaces } from "./namespaces.ts";
import { people } from "./people.ts";
import { scopes } from "./scopes.ts";
import { asking } from "./settings.ts";
import { shapes } from "./shapes.ts";

/** Scenarios that do not say where they run run as installed by default. */
const byDefault = (story: Story): Story => ({ settings: [asking], ...story });

/** Every scenario of undelete. */
export const stories: readonly Story[] = [...comingBack, ...scopes, ...people, ...namespaces, ...shapes].map(byDefault);
