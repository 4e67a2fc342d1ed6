import { sweepFunction } from "../../../../functions/platform/sweep/declaration.ts";
import { onTick } from "../../../../functions/platform/sweep/on-tick.ts";
import { release } from "../../../../functions/pvc-protection/release/rule.ts";
import type { HttpResponse } from "../../../../shared/http-message.ts";
import type { ListOptions } from "../../../../shared/kubernetes/client.ts";
import { type Kind, PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { readSettings } from "../../../../shared/settings.ts";
import { withClient } from "../../mutants/clients.ts";
import { type Mutant, seeing, starting } from "../../mutants/mutant.ts";

export const forgetful: readonly Mutant[] = [
  {
    name: "event-believed",
    doc: "Does not count a pod once an event has said that it was deleted.",
    scenarios: ["replaced-alone"],
    within: 10,
    rule: release.name,
    start: (tools) => {
      const deleted = new Set<string>();
      const handle = starting({
        ...release,
        look: seeing(release, (facts) => {
          const users = [...facts.users].map(
            ([claim, using]) => [claim, using.filter(({ pod }) => !deleted.has(pod))] as const,
          );
          return { ...facts, users: new Map(users.filter(([, using]) => using.length > 0)) };
        }),
      })(tools);
      return (request) => {
        const { "ce-type": type, "ce-kind": kind, "ce-name": name } = request.headers;
        if (kind === "Pod" && type?.endsWith(".delete") && name) deleted.add(name);
        return handle(request);
      };
    },
  },
  {
    name: "uid-not-checked",
    doc: "Remembers by name which claims may go, so that the next event about one of them costs no list.",
    scenarios: ["replaced-alone"],
    within: 10,
    rule: release.name,
    start: (tools) => {
      const free = new Set<string>();
      return starting({
        ...release,
        look: seeing(release, (facts) => {
          for (const { metadata } of facts.claims) if (!facts.users.has(metadata.name)) free.add(metadata.name);
          return { ...facts, users: new Map([...facts.users].filter(([claim]) => !free.has(claim))) };
        }),
      })(tools);
    },
  },
  {
    name: "run-shared-with-an-earlier-request",
    doc: "Answers a request with the run that is under way for its namespace.",
    scenarios: ["used-alone", "many-claims-alone", "in-tree-off"],
    by: "fault-free runs",
    within: 20,
    rule: release.name,
    start: (tools) => {
      const handle = starting(release)(tools);
      let running: Promise<HttpResponse> | undefined;
      return (request) => {
        running ??= handle(request).finally(() => {
          running = undefined;
        });
        return running;
      };
    },
  },
  {
    name: "wait-without-due-time",
    doc: "Sweeps only what carries a due time, although what is being deleted waits without one.",
    scenarios: ["used-alone", "deleted-while-used"],
    within: 80,
    rule: sweepFunction.name,
    start: withClient(
      ({ environment, post, id, ...tools }) =>
        onTick({ ...tools, settings: readSettings(sweepFunction.settings, environment) }, post, id),
      (client) => ({
        list: <T extends KubernetesObject>(kind: Kind, options: ListOptions = {}) =>
          client.list<T>(
            kind,
            kind.kind === PersistentVolumeClaim.kind
              ? { ...options, labelSelector: "holdfast.dev/waiting=true" }
              : options,
          ),
      }),
    ),
  },
];
