import { PingSource } from "../../eventing/kinds.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { KnativeService } from "../serving/kind.ts";
import { sweptOften } from "../start/swept-often.ts";
import type { TourWorld } from "./tour.ts";

const namespace = "holdfast";

/**
 * Has the sweep come every other second, which is where events tell of nothing: LINSTOR sends none. Resolves with what
 * undoes it.
 */
export async function oftenSwept({ knative }: Pick<TourWorld, "knative">): Promise<() => Promise<void>> {
  const sources = await Array.fromAsync(knative.list<KubernetesObject>(PingSource, { namespace }));
  const service = await knative.get<KubernetesObject>(KnativeService, namespace, "platform-sweep");
  const before: [Kind, KubernetesObject][] = [
    ...(service ? [[KnativeService, service] as [Kind, KubernetesObject]] : []),
    ...sources.map((source): [Kind, KubernetesObject] => [PingSource, source]),
  ];
  const put = async (kind: Kind, { metadata, spec }: KubernetesObject) =>
    void (await knative.patch(kind, namespace, metadata.name, "merge", { spec }));
  for (const [kind, object] of before) await put(kind, sweptOften(object));
  return async () => {
    for (const [kind, object] of before) await put(kind, object);
  };
}
