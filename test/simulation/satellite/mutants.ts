import { createSatellite } from "../../../functions/satellite/create/rule.ts";
import { deleteSatellite } from "../../../functions/satellite/delete/rule.ts";
import { evacuate } from "../../../functions/satellite/evacuate/rule.ts";
import type { LookedSatellite, ReadyFacts } from "../../../functions/satellite/lib/evacuation-facts.ts";
import { LinstorCluster } from "../../../functions/satellite/lib/kinds.ts";
import type { Linstor } from "../../../functions/satellite/lib/linstor/client.ts";
import type { LinstorControllers } from "../../../functions/satellite/lib/linstor/controllers.ts";
import { answeredCall } from "../../../functions/satellite/lib/linstor/objects.ts";
import { linstor } from "../../../functions/satellite/lib/linstor/system.ts";
import type { LinstorClusterObject } from "../../../functions/satellite/lib/satellite.ts";
import { mark } from "../../../functions/satellite/mark/rule.ts";
import { releaseDrain } from "../../../functions/satellite/release-drain/rule.ts";
import { releaseTerminate } from "../../../functions/satellite/release-terminate/rule.ts";
import { remove } from "../../../functions/satellite/remove/rule.ts";
import { removeLost } from "../../../functions/satellite/remove-lost/rule.ts";
import { retain } from "../../../functions/satellite/retain/rule.ts";
import { setHooks } from "../../../functions/satellite/set-hooks/rule.ts";
import { unmark } from "../../../functions/satellite/unmark/rule.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Connect } from "../../../shared/system/connect.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { changed, faulty, type Mutant, seeing, starting, withWrites } from "../mutants/mutant.ts";

type Data = NonNullable<ReadyFacts["data"]>;

/** What is seen of satellites that are evacuated, with other facts. */
const withFacts = <Seen extends { readonly seen: readonly LookedSatellite[] }>(
  facts: Seen,
  change: (facts: ReadyFacts) => Partial<ReadyFacts>,
): Seen => ({
  ...facts,
  seen: facts.seen.map((one) =>
    one.facts.is === "ready" ? { ...one, facts: { ...one.facts, ...change(one.facts) } } : one,
  ),
});

const withData = <Seen extends { readonly seen: readonly LookedSatellite[] }>(
  facts: Seen,
  change: (data: Data) => Partial<Data>,
): Seen => withFacts(facts, ({ data }) => (data ? { data: { ...data, ...change(data) } } : {}));

/** LINSTOR does not know the node. */
const withoutData = <Seen extends { readonly seen: readonly LookedSatellite[] }>(facts: Seen): Seen =>
  withFacts(facts, () => ({ data: undefined as never }));

/** The same without when LINSTOR was called to evacuate their nodes. */
const uncalled = <Seen extends { readonly seen: readonly LookedSatellite[] }>(facts: Seen): Seen =>
  withData(facts, () => ({ calledAt: undefined as never }));

const dataOf = ({ facts }: LookedSatellite) => (facts.is === "ready" ? facts.data : undefined);

/** Nothing says that LINSTOR is at work on the node. */
const untouched = ({ node, copies }: Data): Partial<Data> => ({
  node: { ...node, flags: [] },
  copies: copies.filter((copy) => copy.node === node.name),
});

/** Where no node has LINSTOR's flag, LINSTOR seems not to have been called. */
const unflaggedForgotten: typeof evacuate.look = seeing(evacuate, (facts) => {
  const isFlagged = facts.seen.some((one) => dataOf(one)?.node.flags.includes("EVACUATE"));
  return isFlagged ? facts : { ...uncalled(facts), lease: undefined };
});

/** A decision without the writes of objects of a kind. */
const withoutWrites = (kind: string) => withWrites((writes) => writes.filter((write) => write.kind.kind !== kind));

type Evacuate = Linstor["nodes"]["evacuate"];

/** Starts the rule that calls LINSTOR to evacuate with a client that calls in another way. */
const calling =
  (change: (call: Evacuate, clock: Clock) => Evacuate): Mutant["start"] =>
  ({ connect, ...tools }) => {
    if (!connect) return starting(evacuate)(tools);
    const changed: Connect = (system) => {
      const controllers = connect(system);
      const at: LinstorControllers["at"] = (url) => {
        const client = (controllers as LinstorControllers).at(url);
        const { nodes } = client;
        return { ...client, nodes: { ...nodes, evacuate: change(nodes.evacuate, tools.clock) } };
      };
      return { ...controllers, at };
    };
    return starting(evacuate)({ ...tools, connect: changed });
  };

/** Calls once more after such a failure. */
const repeating = (isRepeated: (error: SystemError) => boolean) =>
  calling(
    (call) =>
      (...input) =>
        call(...input).catch((error) => {
          if (error instanceof SystemError && isRepeated(error)) return call(...input);
          throw error;
        }),
  );

/** Milliseconds in which a function listens to a call. */
const listens = linstor.settings.parse({}).linstorCommandTimeout;

const by = "fault-free runs" as const;

/** Whether a decision waits for what is away. */
const isAway = (decision: Decision): decision is Extract<Decision, { do: "write" }> =>
  decision.do === "write" && decision.step?.name === "away";

/** Functions with a fault each. */
export const mutants: readonly Mutant[] = [
  {
    name: "drains-before-marking",
    doc: "Lets the Node be drained as soon as its Machine goes, because a drain takes long enough.",
    scenarios: ["machine-deleted"],
    by,
    within: 2,
    ...faulty(releaseDrain, {
      look: seeing(releaseDrain, (facts) =>
        withFacts(facts, () => ({ begun: true, note: {}, volumes: [], neighbours: [] })),
      ),
    }),
  },
  {
    name: "shuts-down-at-once",
    doc: "Lets the server be shut down once LINSTOR evacuates: it will have moved everything by then.",
    scenarios: ["machine-deleted"],
    by,
    within: 2,
    ...faulty(releaseTerminate, {
      look: seeing(releaseTerminate, (facts) => withFacts(withoutData(facts), () => ({ volumes: [] }))),
    }),
  },
  {
    name: "marks-without-a-record",
    doc: "Marks volumes and writes nothing about it on the satellite, where it would be one write more.",
    scenarios: ["machine-deleted"],
    by,
    within: 2,
    ...faulty(mark, {
      decide: (facts, now, settings) =>
        mark
          .decide(
            withFacts(facts, () => ({ begun: true, note: {} })),
            now,
            settings,
          )
          .map(withoutWrites("LinstorSatellite")),
    }),
  },
  {
    name: "marks-forgotten",
    doc: "Leaves annotations of volumes where they are, because they do no harm.",
    scenarios: ["machine-deleted"],
    by,
    within: 2,
    ...faulty(unmark, { decide: () => [] }),
  },
  {
    name: "calls-whenever-it-looks",
    doc: "Calls LINSTOR to evacuate whenever it looks, because LINSTOR knows what it does.",
    scenarios: ["satellite-away"],
    by,
    within: 10,
    ...faulty(evacuate, {
      look: seeing(evacuate, (facts) => ({ ...uncalled(withData(facts, untouched)), lease: undefined })),
    }),
  },
  {
    name: "repeats-what-was-not-answered",
    doc: "Sends the call again when the connection drops: a PUT may be repeated, as everybody knows of HTTP.",
    scenarios: ["satellite-away"],
    by: { everyCall: "the connection drops while LINSTOR works" },
    within: 2,
    rule: evacuate.name,
    start: repeating(({ failure }) => failure === "unreachable"),
  },
  {
    name: "takes-no-flag-for-no-call",
    doc: "Calls again when the node has no flag: LINSTOR sets it first of all, so that the call has never arrived.",
    scenarios: ["satellite-away"],
    by: { everyCall: "the connection drops before LINSTOR begins" },
    within: 4,
    ...faulty(evacuate, {
      look: unflaggedForgotten,
      decide: changed(evacuate, withoutWrites("Lease")),
    }),
  },
  {
    name: "listens-for-ten-seconds",
    doc: "Calls again when LINSTOR has not answered within ten seconds, in which it has always done so.",
    scenarios: ["satellite-away"],
    by: { everyCall: "LINSTOR begins late" },
    within: 4,
    rule: evacuate.name,
    start: calling((call, clock) => async (...input) => {
      const answer = call(...input);
      const heard = answer.then(
        () => true,
        () => true,
      );
      const isHeard = await Promise.race([heard, clock.sleep(10_000).then(() => false)]);
      return isHeard ? answer : call(...input);
    }),
  },
  {
    name: "takes-a-504-for-a-refusal",
    doc: "Calls again when a proxy has answered: LINSTOR has not got what the proxy did not pass on.",
    scenarios: ["satellite-away"],
    by: { everyCall: "a proxy gives up while LINSTOR works" },
    within: 2,
    rule: evacuate.name,
    start: repeating(({ message }) => message.includes("504")),
  },
  {
    name: "takes-silence-for-the-end",
    doc: "Calls again when LINSTOR has not answered for as long as it listens: LINSTOR must have been restarted.",
    scenarios: ["satellite-away"],
    by: { everyCall: "LINSTOR works longer than anybody listens" },
    within: 2,
    ...faulty(evacuate, {
      decide: (facts, now, settings) => {
        const isOver = facts.seen.some((one) => {
          const { node, calledAt } = dataOf(one) ?? {};
          return node && calledAt !== undefined && answeredCall(node) !== calledAt && now - calledAt >= listens;
        });
        if (!isOver) return evacuate.decide(facts, now, settings);
        const forgotten = { ...uncalled(withData(facts, untouched)), lease: undefined };
        return evacuate.decide(forgotten, now, settings).map(withoutWrites("Lease"));
      },
    }),
  },
  {
    name: "takes-empty-for-moved",
    doc: "Removes a node once it is empty: LINSTOR takes nothing away before it is elsewhere.",
    scenarios: ["satellite-away"],
    by: { everyCall: "a proxy sends it twice at once" },
    within: 4,
    ...faulty(remove, {
      look: seeing(remove, (facts) => withData(facts, () => ({ placeCounts: new Map() }))),
    }),
  },
  {
    name: "takes-copies-for-good",
    doc: "Takes every copy for a good one: LINSTOR will look at them itself.",
    scenarios: ["last-copy-stale"],
    by,
    within: 2,
    ...faulty(evacuate, {
      look: seeing(evacuate, (facts) => {
        const good = ({ copies }: Data): Partial<Data> => ({
          copies: copies.map((copy) => ({
            ...copy,
            volumes: copy.volumes.map((volume) => ({ ...volume, diskState: "UpToDate" })),
          })),
        });
        return withData(facts, good);
      }),
    }),
  },
  {
    name: "deletes-without-a-look",
    doc: "Deletes the node in LINSTOR without a look at what is on it, because LINSTOR refuses where it must.",
    scenarios: ["node-leaves-and-returns"],
    by,
    within: 2,
    ...faulty(remove, {
      look: seeing(remove, (facts) =>
        withFacts(
          withData(facts, ({ node }) => ({
            node: { ...node, flags: ["EVACUATE"] },
            copies: [],
            snapshots: [],
            before: {},
            calledAt: 1,
          })),
          () => ({ volumes: [] }),
        ),
      ),
    }),
  },
  {
    name: "lets-go-first",
    doc: "Lets the LinstorSatellite go at once and leaves the rest to LINSTOR.",
    scenarios: ["node-leaves-and-returns"],
    by,
    within: 2,
    ...faulty(remove, {
      look: seeing(remove, (facts) => withFacts(withoutData(facts), () => ({ volumes: [] }))),
    }),
  },
  {
    name: "retains-everything",
    doc: "Lets every LinstorSatellite go that is deleted, with any policy, since data is never harmed by that.",
    scenarios: ["given-up"],
    by,
    within: 2,
    ...faulty(retain, {
      look: async (...args) => {
        const seen = await retain.look(...args);
        return seen && { ...seen, policy: "Retain" as const };
      },
    }),
  },
  {
    name: "gives-up-what-is-offline",
    doc: "Gives a node up that is offline and deleted, with any policy: it will not come back.",
    scenarios: ["satellite-away"],
    by,
    within: 2,
    ...faulty(removeLost, {
      look: async (subject, view) => {
        const seen = await removeLost.look(subject, view);
        if (!seen) return seen;
        const linstor = await view.linstor.at(seen.controller).nodes.get(seen.satellite.metadata.name);
        return { ...seen, policy: "Delete" as const, volumes: [], linstor };
      },
    }),
  },
  {
    name: "machines-without-hooks",
    doc: "Leaves Machines alone, because administrators may set hooks themselves.",
    scenarios: ["machine-deleted"],
    by,
    within: 2,
    ...faulty(setHooks, { decide: () => [] }),
  },
  {
    name: "never-comes-back",
    doc: "Creates no LinstorSatellite for a Node that has had one.",
    scenarios: ["given-up"],
    by,
    within: 2,
    ...faulty(createSatellite, {
      decide: (facts, ...rest) => (facts.nodes.length > 5 ? createSatellite.decide(facts, ...rest) : []),
    }),
  },
  {
    name: "never-retires",
    doc: "Deletes no LinstorSatellite: people do that who know why.",
    scenarios: ["given-up"],
    by,
    within: 2,
    ...faulty(deleteSatellite, { decide: () => [] }),
  },
  {
    name: "silent-about-linstor",
    doc: "Says nothing while LINSTOR or the management cluster is away: the sweep comes back anyway.",
    scenarios: ["last-copy-stale"],
    by: "outages",
    within: 75,
    inScenariosOnly: true,
    ...faulty(mark, {
      decide: changed(mark, (decision) =>
        isAway(decision) ? { ...decision, message: "It waits.", writes: [] } : decision,
      ),
    }),
  },
  {
    name: "asks-every-linstor",
    doc: "Looks at every LINSTOR before it evacuates a node, so that no two evacuations of one name begin.",
    scenarios: ["two-linstors"],
    by: "outages",
    within: 12,
    ...faulty(evacuate, {
      look: async (subject, view) => {
        for await (const cluster of view.client.list<LinstorClusterObject>(LinstorCluster))
          await view.linstor.at(cluster.spec?.externalController?.url).nodes.get("node-1");
        return evacuate.look(subject, view);
      },
    }),
  },
];
