import type { Setting } from "../../worlds/world.ts";
import { beside } from "../pvc-protection/settings.ts";

/** The functions that serve the rules have no settings of their own that matter; the stories need rules that work. */
export const settings: readonly Setting[] = [beside];
