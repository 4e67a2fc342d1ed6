import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { isEventKey } from "../../functions/platform/lib/kept-event.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

const schema = z.object({
  attributes: z.record(z.string(), z.string()),
  destination: z.string().default(""),
  object: z.record(z.string(), z.unknown()).optional(),
});

/** What of a dead-lettered event it takes to give it to its rule again. */
export type SavedEvent = z.output<typeof schema>;

const configMapName = "holdfast-dead-letters";

/**
 * Finds an event in a file, or by its name in the ring buffer that the dead-letter function keeps.
 *
 * @throws UserError that says where was looked and what to do.
 */
export async function findDeadLetter(source: string, client: Client, namespace: string): Promise<SavedEvent> {
  const file = fromHere(source);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return parse(await readSaved(file), `The file ${source}`);
  const configMap = await client.get<KubernetesObject & { data?: Record<string, string> }>(
    ConfigMap,
    namespace,
    configMapName,
  );
  const saved = configMap?.data?.[source];
  if (saved !== undefined) return parse(saved, `The event ${source}`);
  const names = Object.keys(configMap?.data ?? {})
    .filter(isEventKey)
    .sort();
  const known = names.length > 0 ? `The newest are: ${names.slice(-5).join(", ")}.` : "There are no events.";
  throw new UserError(
    `There is no file ${source}, and no such event in ConfigMap ${namespace}/${configMapName}. ${known}`,
  );
}

async function readSaved(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new UserError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function parse(text: string, what: string): SavedEvent {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new UserError(
      `${what} is no dead-lettered event: JSON with attributes and, where known, destination and object.`,
      {
        cause,
      },
    );
  }
}
