import { z } from "zod";

/** Annotations that Knative writes itself or that say nothing of behaviour. */
const idle = /^(.+\.)?knative\.dev\/(creator|lastModifier)$/;

/**
 * The metadata of an object. Of the annotations, those of Knative change behaviour: any but `obeyed` is refused. The
 * namespace is `default` where none is written.
 */
export function metadata(obeyed: readonly string[]) {
  const annotations = z.record(z.string(), z.string()).superRefine((all, context) => {
    for (const name of Object.keys(all)) {
      const isKnative = /^([a-z0-9-]+\.)*knative\.dev\//.test(name);
      if (!isKnative || obeyed.includes(name) || idle.test(name)) continue;
      context.addIssue({ code: "custom", path: [name], message: "this annotation is not obeyed" });
    }
  });
  return z.looseObject({
    name: z.string().min(1),
    namespace: z.string().min(1).default("default"),
    annotations: annotations.default({}),
  });
}
