import { systemClock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { connectSystems } from "../../shared/serve/connect-systems.ts";
import { readOnlyTransport } from "../../shared/system/read-only.ts";
import { withFilesHere } from "./files-here.ts";
import { findFunctions } from "./installed-functions.ts";
import type { AskedRule, Asking } from "./judge.ts";
import { loadRules, systemNames } from "./load-systems.ts";
import { unreadSettings } from "./unread-settings.ts";

/** The rules there are, and those whose functions are installed. */
export interface FoundRules {
  readonly installed: readonly AskedRule[];
  readonly all: readonly Rule[];
  /** The kinds that rules look at. */
  readonly kinds: readonly Kind[];
  /** The user may not read which functions are installed: all rules count, with their defaults. */
  readonly isGuess: boolean;
  /** Where they are installed; absent where that is not known. */
  readonly installNamespace?: string;
}

/** Which rules there are on a cluster. @throws ApiError */
export async function findRules(client: Client, installNamespace: string): Promise<FoundRules> {
  const [all, functions] = await Promise.all([loadRules(systemNames()), findFunctions(client, installNamespace)]);
  const installed = all.flatMap((rule) => {
    if (!functions) return [{ rule, environment: {} }];
    const found = functions.get(slug(rule.name));
    if (!found) return [];
    const environment = withFilesHere(found.environment, process.env);
    return [{ rule, environment, unread: unreadSettings(rule, found) }];
  });
  const kinds = all.flatMap(({ triggers, sweep }) => [...triggers, ...sweep].map(({ kind }) => kind));
  return { installed, all, kinds, isGuess: functions === undefined, installNamespace };
}

/** What an answer lacks where no function was found although they could be read, or not all of their settings. */
export const gapsOf = ({ installed, isGuess }: FoundRules): readonly string[] =>
  isGuess || installed.length > 0
    ? installed.flatMap(({ unread }) => (unread ? `${unread} ${defaultsAssumed}` : []))
    : ["No function of Holdfast was found. Is it in another namespace? Give --install-namespace."];

/** What follows a sentence about settings that could not be read. */
export const defaultsAssumed = "The answer assumes the default.";

/**
 * What rules are asked with: the user's rights, and external systems under the settings of the function, or of the
 * user's own environment, as far as they can be reached from here. What would change anything is not sent.
 */
export function askingWith(client: Client): Asking {
  return {
    client,
    clock: systemClock,
    connect: ({ rule, environment }) =>
      connectSystems(rule.systems ?? {}, { ...environment, ...process.env }, systemClock, readOnlyTransport),
  };
}
