import type { Random } from "../../../eventing/random.ts";
import { PersistentVolume } from "../../harness/kinds.ts";
import { streamsOf } from "../../harness/simulated/streams.ts";
import type { Truth } from "../invariants/invariant.ts";
import { laneOfClaim } from "../pvc-protection/sequence.ts";
import { type Lane, patiently, type Sequence, type Step, sequenceOf } from "../sequence.ts";
import {
  addVolume,
  comeBack,
  deleteMachine,
  install,
  installApart,
  isGone,
  leave,
  linstorOf,
  machineIsGone,
  uidOf,
} from "./administrator.ts";
import { linstorIn, machinesOf, markedFor, policyOf, satellitesOf, volumesOf } from "./satellites.ts";
import { withSatellites } from "./settings.ts";

/** LINSTOR is called to evacuate one node at a time, also where there are two. */
const turn = "the Lease of calls to evacuate";

/** A Node that leaves for a while, once or twice. */
function laneOfNode(node: string, needs: readonly string[], random: Random): Lane {
  const steps: Step[] = [];
  for (let round = random.below(2); round >= 0; round--) {
    let uid = "";
    steps.push(async (user) => {
      uid = await uidOf(user, node);
      await leave(user, node);
    });
    steps.push((user) => patiently(user, isGone(user, uid)));
    steps.push((user) => comeBack(user, node));
    steps.push((user) => patiently(user, async () => (await uidOf(user, node)) !== ""));
  }
  return { name: `Node ${node}`, needs: [...needs, `linstorsatellites/${node}`], turn, steps };
}

/** A Machine that is deleted. */
function laneOfMachine(node: string): Lane {
  const steps: Step[] = [
    (user) => deleteMachine(user, node),
    (user) => patiently(user, machineIsGone(user, `m-${node}`)),
  ];
  const needs = ["linstor", "/linstor/", "Cluster API", `linstorsatellites/${node}`, `machines/m-${node}`];
  return { name: `Machine of ${node}`, needs, turn, steps };
}

/** Nodes and Machines that go, of two LINSTORs, and a claim that has nothing to do with them. */
export function sequence(number: number): Sequence {
  const random = streamsOf(number)("sequence of satellite");
  const isMachine = random.below(2) === 0;
  const isUsed = random.below(2) === 0;
  const lanes = [
    isMachine ? laneOfMachine("node-1") : laneOfNode("node-1", ["linstor", "/linstor/"], random),
    // Its LINSTOR is another one, and is away, too, where all of LINSTOR is.
    laneOfNode("node-5", ["linstor", "/linstor@"], random),
    laneOfClaim("a", random),
  ];
  return sequenceOf(
    {
      system: "satellite",
      external: "linstor",
      setting: withSatellites,
      controllers: ["garbage-collector-controller"],
      lanes,
      async prepare(user) {
        await install(user, "Evacuate", isMachine ? ["node-1"] : []);
        await installApart(user);
        await addVolume(user, "used", ["node-1", "node-2"], { used: isUsed });
        await addVolume(user, "single", ["node-1"]);
        await addVolume(user, "apart", ["node-5"]);
        await patiently(user, async () => (await user.list(PersistentVolume)).length >= 3);
        await patiently(user, async () => linstorOf(user).standIn.nodes().length === 6);
      },
    },
    random,
  );
}

/** Satellites, Machines and volumes; which node has a copy is for LINSTOR to say. */
export function end(truth: Truth): readonly string[] {
  const { standIn, volumes } = linstorIn(truth);
  const marks = volumesOf(truth).map((one) => `volume ${one.metadata.name} is marked for ${markedFor(one).join(", ")}`);
  return [
    ...satellitesOf(truth).map((one) => `LinstorSatellite ${one.metadata.name} has ${policyOf(one)}`),
    ...machinesOf(truth).map(({ metadata }) => `Machine ${metadata.name} is there`),
    ...standIn.nodes().map((node) => `LINSTOR knows ${node}`),
    ...[...volumes].map((name) => `volume ${name} has ${standIn.goodCopies(name).length} good copies`),
    ...marks.filter((mark) => !mark.endsWith("for ")),
  ].toSorted();
}
