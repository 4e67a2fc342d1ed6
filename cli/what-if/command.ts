import { Argument, Command } from "commander";
import type { StatefulSet } from "../../functions/pvc-retention/lib/stateful-set.ts";
import { systemClock } from "../../shared/clock.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { type PlaceOptions, withPlace } from "../cluster/cluster-options.ts";
import { findObject, readName } from "../cluster/find-object.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import { type Format, formatted, withFormat } from "../output/format.ts";
import { type FoundRules, findRules, gapsOf } from "../rules/ask-rules.ts";
import type { Subcommand } from "../subcommand.ts";
import { ifClaimDeleted, ifNamespaceDeleted } from "./claim-or-namespace.ts";
import { ifMachineDeleted, type NodePrediction } from "./machine.ts";
import type { Prediction } from "./prediction.ts";
import { printPrediction } from "./print.ts";
import { ifScaled, ifSetDeleted } from "./stateful-set.ts";

interface WhatIfOptions extends PlaceOptions {
  readonly replicas?: string;
  readonly output?: Format;
}

/** `holdfast what-if` */
export const whatIf: Subcommand = {
  declare: () =>
    withFormat(
      withPlace(
        new Command("what-if")
          .summary("say what a scale-down or a deletion would take, and do nothing")
          .description(
            "Says which claims, volumes and copies go with a change, which stay, and until when Holdfast keeps them. " +
              "It applies Kubernetes' own rules, and asks Holdfast's rules about the objects after the change. " +
              "It writes nothing. The exit code is 1 if data would be deleted.",
          )
          .addArgument(new Argument("<ACTION>", "what would be done").choices(["scale", "delete"]))
          .argument("<OBJECT...>", "sts/NAME, ns/NAME, pvc/NAME, machine/NAME or node/NAME")
          .option("--replicas <N>", "to how many replicas a set would be scaled"),
      ),
    ),
  async run([action = "", ...words], { replicas, output, ...options }: WhatIfOptions) {
    const named = readName(words);
    const count = countOf(action, replicas);
    const { client, namespace } = openCluster(options);
    const rules = await findRules(client, options.installNamespace);
    const { kind, object } = await findObject(client, named, options.namespace ?? namespace, rules.kinds);
    const predicted = await predict(client, kind, object, rules, count);
    const prediction = { ...predicted, gaps: [...predicted.gaps, ...gapsOf(rules)] };
    if (output) process.stdout.write(formatted(prediction, output));
    else printPrediction(prediction, systemClock.now(), terminal(process.stdout));
    if (losesData(prediction)) return exitCode.bad;
    return prediction.gaps.length > 0 ? exitCode.unknown : exitCode.good;
  },
};

/** @throws UserError where the number does not go with the action */
function countOf(action: string, replicas: string | undefined): number | undefined {
  if (action === "delete") {
    if (replicas !== undefined) throw new UserError("--replicas is for what-if scale.");
    return undefined;
  }
  if (!/^\d{1,9}$/.test(replicas ?? "")) throw new UserError("Say to how many: what-if scale sts/web --replicas 1");
  return Number(replicas);
}

/** What a change would do: to so many replicas, or without a number a deletion. @throws UserError for other kinds */
export function predict(
  client: Client,
  kind: Kind,
  object: KubernetesObject,
  rules: FoundRules,
  replicas?: number,
): Promise<Prediction | NodePrediction> {
  if (kind.kind === "StatefulSet" && replicas !== undefined)
    return ifScaled(client, object as StatefulSet, replicas, rules);
  if (replicas === undefined) {
    if (kind.kind === "StatefulSet") return ifSetDeleted(client, object as StatefulSet, rules);
    if (kind.kind === "PersistentVolumeClaim") return ifClaimDeleted(client, object, rules);
    if (kind.kind === "Namespace") return ifNamespaceDeleted(client, object, rules);
    if (kind.kind === "Machine" || kind.kind === "Node") return ifMachineDeleted(client, kind, object, rules);
  }
  const known = replicas === undefined ? "StatefulSets, claims, namespaces, Machines and Nodes" : "StatefulSets";
  throw new UserError(`What would become of ${describe(referenceTo(object))} is not known here: only of ${known}.`);
}

const losesData = (prediction: Prediction | NodePrediction): boolean =>
  prediction.claims.some(({ volume }) => volume?.fate === "deleted") ||
  ("localVolumes" in prediction && prediction.localVolumes.length > 0) ||
  ("copies" in prediction && (prediction.copies?.some(({ elsewhere }) => elsewhere.length === 0) ?? false));
