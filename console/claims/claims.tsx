import { Tab, Tabs, TabTitleText, TextInput } from "@patternfly/react-core";
import { useMemo, useState } from "react";
import { policyKey, readPolicy } from "../../functions/pvc-retention/lib/policy.ts";
import { retentionOf } from "../../functions/pvc-retention/lib/stateful-set.ts";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet, StorageClass } from "../../shared/kubernetes/kind.ts";
import { type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import type { Claim } from "../../shared/storage/volume.ts";
import { Deployment, ofHoldfast, Service } from "../api/kinds.ts";
import { type Objects, objectsOf, useList } from "../api/use-list.ts";
import { useAddress } from "../parts/address.ts";
import { ageColumn, linkColumn, stateColumn } from "../parts/columns.tsx";
import { PodOnNode } from "../parts/object-link.tsx";
import { heldBecause } from "../parts/object-state.ts";
import { type Column, ObjectTable } from "../parts/object-table.tsx";
import { Empty, Known, Page, Unread } from "../parts/page.tsx";
import { isProtected, type SetObject, usersOf } from "./claim.ts";
import { fateOf } from "./fate.ts";
import { type Around, hasUndelete, keptForOf } from "./kept-for.ts";

/** Stands where objects that are not read would have to be known. */
const unknown = "not known";

/** Claims with who holds them, and sets with what becomes of theirs. */
export default function Claims() {
  const [address, setAddress] = useAddress();
  const claims = useList<Claim>(PersistentVolumeClaim);
  const pods = useList(Pod);
  const sets = useList<SetObject>(StatefulSet);
  const namespaces = useList(Namespace);
  const classes = useList(StorageClass);
  const functions = [useList(Service, ofHoldfast), useList(Deployment, ofHoldfast)];
  const isInstalled = hasUndelete(functions);
  const users = useMemo(() => (pods.is === "ready" ? usersOf(pods.objects) : undefined), [pods]);
  const isSets = address.get("tab") === "sets";
  const claimColumns = useMemo(() => columnsOfClaims(users), [users]);
  const setColumns = useMemo(
    () => columnsOfSets({ claims, pods, namespaces, classes, isInstalled }),
    [claims, pods, namespaces, classes, isInstalled],
  );
  return (
    <Page title="Claims and sets" intro="Which claims are held, by which pod, and what a scale-down takes along.">
      <Unread lists={isSets ? [claims, pods, namespaces, classes] : [pods]} />
      <Tabs
        activeKey={isSets ? "sets" : "claims"}
        onSelect={(_, tab) =>
          setAddress({ tab: tab === "sets" ? "sets" : undefined, q: undefined, page: undefined, sort: undefined })
        }
        aria-label="Claims or sets"
        mountOnEnter
        unmountOnExit
      >
        <Tab eventKey="claims" title={<TabTitleText>Claims</TabTitleText>}>
          <Known list={claims} what="Claims">
            {(claims) => (
              <ObjectTable
                what="claims"
                objects={claims}
                columns={claimColumns}
                empty={<Empty title="There are no claims">A claim asks Kubernetes for storage.</Empty>}
              />
            )}
          </Known>
        </Tab>
        <Tab eventKey="sets" title={<TabTitleText>StatefulSets</TabTitleText>}>
          <Known list={sets} what="StatefulSets">
            {(sets) => (
              <ObjectTable
                what="StatefulSets"
                objects={sets}
                columns={setColumns}
                empty={<Empty title="There are no StatefulSets" />}
              />
            )}
          </Known>
        </Tab>
      </Tabs>
    </Page>
  );
}

type Users = ReturnType<typeof usersOf>;

const columnsOfClaims = (users: Users | undefined): readonly Column<Claim>[] => [
  linkColumn("Name", referenceTo),
  stateColumn(
    "State",
    (claim) => {
      if (claim.metadata.deletionTimestamp) return { word: "Held", tone: "warning", says: heldBecause(claim) };
      const { phase = "Pending" } = claim.status ?? {};
      return { word: phase, tone: phase === "Lost" ? "bad" : "plain" };
    },
    35,
  ),
  ageColumn("Deleted", ({ metadata }) => metadata.deletionTimestamp),
  {
    title: "Used by",
    value: (claim) =>
      users
        ? users(claim)
            .map(({ metadata, spec }) => `${metadata.name} ${spec.nodeName ?? ""}`)
            .join(" ") || undefined
        : unknown,
    cell: (claim) => (
      <>
        {!users && unknown}
        {users?.(claim).map((pod) => (
          <div key={pod.metadata.uid}>
            <PodOnNode pod={pod} />
          </div>
        ))}
      </>
    ),
  },
  linkColumn("Volume", ({ spec }) =>
    spec.volumeName ? { kind: "PersistentVolume", name: spec.volumeName } : undefined,
  ),
  { title: "Protected", value: (claim) => (isProtected(claim) ? "yes" : "no") },
];

const replicasOf = ({ spec }: SetObject): number => spec.replicas ?? 1;

interface ScaleDownProps {
  readonly set: SetObject;
  readonly scaled: ((target: number) => string) | undefined;
}

/** What a scale-down takes along: by one replica, or to as many as a person enters. */
function ScaleDown({ set, scaled }: ScaleDownProps) {
  const [entered, setEntered] = useState<number>();
  const most = Math.max(0, replicasOf(set) - 1);
  const target = Math.min(entered ?? most, most);
  if (!scaled) return unknown;
  return (
    <>
      {most > 0 && (
        <TextInput
          className="hf-count"
          type="number"
          min={0}
          max={most}
          value={target}
          aria-label={`Replicas of ${set.metadata.namespace}/${set.metadata.name} after a scale-down`}
          onChange={(_, value) => setEntered(Math.max(0, Math.trunc(Number(value)) || 0))}
        />
      )}
      {scaled(target)}
    </>
  );
}

interface AroundSets extends Around {
  readonly claims: Objects<Claim>;
  readonly pods: Objects<KubernetesObject>;
  /** Whether undelete is installed, as far as it is known. */
  readonly isInstalled: boolean | undefined;
}

function columnsOfSets({ claims, pods, namespaces, classes, isInstalled }: AroundSets): readonly Column<SetObject>[] {
  const isRead = claims.is === "ready" && pods.is === "ready";
  const claimsIn = Map.groupBy(objectsOf(claims), ({ metadata }) => metadata.namespace);
  const podsIn = Map.groupBy(objectsOf(pods), ({ metadata }) => metadata.namespace);
  const homes = new Map(objectsOf(namespaces).map((one) => [one.metadata.name, one]));
  const keeping = { keptFor: keptForOf({ namespaces, classes }), isInstalled };
  const fate = (set: SetObject) => {
    const { namespace } = set.metadata;
    const seen = { set, pods: podsIn.get(namespace) ?? [], claims: claimsIn.get(namespace) ?? [] };
    return isRead ? fateOf(seen, keeping) : undefined;
  };
  const policy = (set: SetObject) => readPolicy(set, homes.get(set.metadata.namespace ?? ""));
  return [
    linkColumn("Name", referenceTo),
    { title: "Replicas", value: replicasOf },
    {
      title: "Policy",
      value: (set) => {
        const found = policy(set);
        if (!found && namespaces.is !== "ready") return unknown;
        if (!found) return `none: Holdfast leaves this set alone (${policyKey})`;
        return found.fault ?? `${found.name}, chosen on the ${found.from}`;
      },
    },
    {
      title: "In force",
      value: (set) => {
        const { whenDeleted, whenScaled } = retentionOf(set);
        return `when deleted: ${whenDeleted}, when scaled: ${whenScaled}`;
      },
    },
    {
      title: "A scale-down",
      width: 25,
      value: (set) => fate(set)?.scaled(Math.max(0, replicasOf(set) - 1)) ?? unknown,
      cell: (set) => <ScaleDown set={set} scaled={fate(set)?.scaled} />,
    },
    { title: "A deletion", width: 25, value: (set) => fate(set)?.deleted ?? unknown },
  ];
}
