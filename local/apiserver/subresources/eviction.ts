import { badRequest } from "../failure.ts";
import { fieldsAt, objectIn, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import { setCondition } from "../kinds/pod.ts";
import { copyOf } from "../patch/copy.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { ObjectCall } from "../request/call.ts";
import { optionsFrom } from "../request/delete-options.ts";
import type { Resource } from "../resource.ts";
import { selectsLabels } from "../selector/label-object.ts";
import { type State, timestamp } from "../state.ts";
import { StatusError } from "../status-error.ts";
import type { Stored } from "../store/stored.ts";
import { live } from "../verbs/get.ts";
import { checkPreconditions, deleteObject } from "../write/delete-object.ts";
import { replaceObject } from "../write/replace.ts";
import { success } from "./success.ts";

const eviction: Resource = {
  apiVersion: "policy/v1",
  kind: "Eviction",
  plural: "evictions",
  singular: "eviction",
  namespaced: true,
};
const budgets = "policy/poddisruptionbudgets";

/**
 * POST to `pods/eviction`: a DELETE that asks the pod's disruption budget first. 429 when the budget does not allow it
 * now. The budget's status is a controller's work; here it is only read and, for an eviction that it allows, counted
 * down.
 */
export function evict(state: State, call: ObjectCall): Answer {
  const { resource, name } = call;
  const asked = readObject(call, eviction);
  if (asked.metadata.name !== name) throw badRequest("name in URL does not match name in Eviction object");
  const options = optionsFrom(call, fieldsAt(asked, "deleteOptions"));
  const dry: ObjectCall = { ...call, dryRun: options.dryRun };
  const pod = live(state, call);
  checkPreconditions(resource, pod, options);
  if (!goesAnyway(pod)) takeFromBudget(state, dry, pod);

  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const marked = copyOf(pod.object);
  if (!marked.metadata.deletionTimestamp) setCondition(marked, condition, timestamp(state));
  const stored = replaceObject(state, dry, pod, marked);
  const { resourceVersion, ...rest } = options;
  deleteObject(state, resource, stored, rest);
  return { type: "object", status: 201, object: success({ code: 201 }) };
}

/** Pods that are not at work, or going already, disturb nobody by going. */
function goesAnyway({ object }: Stored): boolean {
  const { phase } = statusOf(object);
  return object.metadata.deletionTimestamp !== undefined || phase !== "Running";
}

function takeFromBudget(state: State, call: ObjectCall, pod: Stored): void {
  const all = state.store.list(budgets, `${call.namespace}/`) ?? [];
  const labels = pod.object.metadata.labels ?? {};
  const matching = all.filter(({ object }) => selectsLabels(fieldsAt(object, "spec", "selector"), labels));
  const [budget] = matching;
  if (!budget) return;
  if (matching.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new StatusError(500, "", message);
  }
  const { observedGeneration = 0, disruptionsAllowed, currentHealthy, desiredHealthy } = statusOf(budget.object);
  const name = budget.object.metadata.name;
  if (Number(observedGeneration) < (budget.object.metadata.generation ?? 0)) {
    throw refused(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  // A pod that is not ready does not count, as long as enough others are.
  if (!isReady(pod) && mayEvictUnready(budget)) return;
  if (Number(disruptionsAllowed ?? 0) <= 0) {
    throw refused(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  countDown(state, call, budget);
}

function mayEvictUnready({ object }: Stored): boolean {
  if (specOf(object).unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy, desiredHealthy } = statusOf(object);
  return Number(currentHealthy ?? 0) >= Number(desiredHealthy ?? 0) && Number(desiredHealthy ?? 0) > 0;
}

const isReady = ({ object }: Stored) =>
  objectsIn(statusOf(object), "conditions").some(({ type, status }) => type === "Ready" && status === "True");

function countDown(state: State, call: ObjectCall, budget: Stored): void {
  const next = copyOf(budget.object);
  const now = timestamp(state);
  const status = objectIn(next, "status");
  const allowed = Number(status.disruptionsAllowed) - 1;
  status.disruptionsAllowed = allowed;
  objectIn(status, "disruptedPods")[call.name] = now;
  if (allowed === 0) {
    const others = objectsIn(status, "conditions").filter(({ type }) => type !== "DisruptionAllowed");
    const condition = {
      type: "DisruptionAllowed",
      status: "False",
      observedGeneration: status.observedGeneration,
      lastTransitionTime: now,
      reason: "InsufficientPods",
      message: "",
    };
    status.conditions = [...others, condition];
  }
  if (!call.dryRun) state.store.put(budgets, budget.key, next);
}

function refused(message: string, retryAfterSeconds?: number): StatusError {
  return new StatusError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  });
}
