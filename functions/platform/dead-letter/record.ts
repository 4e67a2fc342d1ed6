import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";
import { isAlreadyExists, isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import { tell } from "../../../shared/kubernetes/notice.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { outcomeOf, replyTo } from "../../../shared/outcome.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import type { Tools } from "../../../shared/pipeline/receive.ts";
import { shareRuns } from "../../../shared/pipeline/share-runs.ts";
import { adviceOn } from "./advice.ts";
import { deadLetter, type Settings, shownOn } from "./declaration.ts";
import { type Letter, readLetter } from "./letter.ts";
import { added, keyOf } from "./ring.ts";

const attempts = 5;

/**
 * Takes dead letters: a log line, a Warning Event on the object that the event named, and the letter in the ring. Keeping
 * the letter is what must succeed; whatever cannot be shown on an object is in the log and in the ring all the same.
 */
export function recordDeadLetters(tools: Tools<Settings>): (request: HttpRequest) => Promise<HttpResponse> {
  const { clock, log } = tools;
  const settings = { ...tools.settings, namespace: tools.settings.namespace || ownNamespace() };
  // Letters come in bursts, and there is one ring: those that arrive while it is written go into it together.
  const keepTogether = shareRuns<Letter, void>(async (_, letters) => keep(await tools.client(), letters, settings));

  return async (request) => {
    try {
      const letter = readLetter(request, clock.now());
      const { attributes, destination, code } = letter;
      const advice = adviceOn(letter);
      log.warn({ rule: deadLetter.name, letter: keyOf(letter), destination, code, attributes }, advice);
      await keepTogether("ring", letter);
      await show(await tools.client(), letter, advice, clock.now()).catch((error: Error) =>
        log.warn({ rule: deadLetter.name }, `The dead letter was not shown on its object: ${error.message}`),
      );
      return replyTo([]);
    } catch (error) {
      const outcome = outcomeOf(error);
      log.error({ rule: deadLetter.name }, `The dead letter was not kept: ${outcome.because}`);
      return replyTo([outcome]);
    }
  };
}

type Ring = KubernetesObject & { data?: Record<string, string> };

async function keep(client: Client, letters: readonly Letter[], settings: Settings): Promise<void> {
  const { namespace, configMap: name } = settings;
  for (let attempt = 1; ; attempt++) {
    try {
      const ring = await client.get<Ring>(ConfigMap, namespace, name);
      if (ring) {
        const { uid, resourceVersion } = ring.metadata;
        const patch = { metadata: { uid, resourceVersion }, data: withLetters(ring.data ?? {}, letters) };
        if (await client.patch(ConfigMap, namespace, name, "merge", patch)) return;
      } else {
        const { apiVersion, kind } = ConfigMap;
        const metadata = { namespace, name } as KubernetesObject["metadata"];
        const data = Object.entries(withLetters({}, letters)).filter(([, text]) => text !== null);
        await client.create(ConfigMap, { apiVersion, kind, metadata, data: Object.fromEntries(data) });
        return;
      }
    } catch (error) {
      if (attempt === attempts || !(isConflict(error) || isAlreadyExists(error))) throw error;
    }
  }
}

/** What changes in the ring's data when several letters are added, one after the other. */
function withLetters(data: Record<string, string>, letters: readonly Letter[]): Record<string, string | null> {
  let change: Record<string, string | null> = {};
  for (const letter of letters) {
    const sofar = Object.entries({ ...data, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    change = { ...change, ...added(Object.fromEntries(sofar), letter) };
  }
  return change;
}

async function show(client: Client, letter: Letter, note: string, now: number): Promise<void> {
  const { kind, apiversion, namespace, name } = letter.attributes;
  const known = shownOn.find((candidate) => candidate.kind === kind && candidate.apiVersion === apiversion);
  if (!known || !name) return;
  const about = await client.get(known, namespace, name, { metadataOnly: true });
  if (!about) return;
  await tell(
    client,
    about,
    deadLetter.name,
    { type: "Warning", reason: "EventDeadLettered", action: "Deliver", note },
    now,
  );
}
