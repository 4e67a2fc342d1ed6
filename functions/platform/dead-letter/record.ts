import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";
import { isAlreadyExists, isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import { tell } from "../../../shared/kubernetes/notice.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { outcomeOf, replyTo } from "../../../shared/outcome.ts";
import type { Tools } from "../../../shared/pipeline/receive.ts";
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
  const { clock, log, settings } = tools;
  return async (request) => {
    const letter = readLetter(request, clock.now());
    const { attributes, destination, code } = letter;
    const advice = adviceOn(letter);
    log.warn({ rule: deadLetter.name, letter: keyOf(letter), destination, code, attributes }, advice);
    try {
      const client = await tools.client();
      await keep(client, letter, settings);
      await show(client, letter, advice, clock.now()).catch((error: Error) =>
        log.warn({ rule: deadLetter.name }, `The dead letter was not shown on its object: ${error.message}`),
      );
      return replyTo([]);
    } catch (error) {
      const outcome = outcomeOf(error);
      log.error({ rule: deadLetter.name, letter: keyOf(letter) }, `The dead letter was not kept: ${outcome.because}`);
      return replyTo([outcome]);
    }
  };
}

type Ring = KubernetesObject & { data?: Record<string, string> };

async function keep(client: Client, letter: Letter, { namespace, configMap: name }: Settings): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const ring = await client.get<Ring>(ConfigMap, namespace, name);
    try {
      if (!ring) {
        const { apiVersion, kind } = ConfigMap;
        const metadata = { namespace, name } as KubernetesObject["metadata"];
        await client.create(ConfigMap, { apiVersion, kind, metadata, data: added({}, letter) });
        return;
      }
      const { uid, resourceVersion } = ring.metadata;
      const patch = { metadata: { uid, resourceVersion }, data: added(ring.data ?? {}, letter) };
      await client.patch(ConfigMap, namespace, name, "merge", patch);
      return;
    } catch (error) {
      if (attempt === attempts || !(isConflict(error) || isAlreadyExists(error))) throw error;
    }
  }
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
