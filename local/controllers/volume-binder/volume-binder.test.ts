import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { ClaimObject, VolumeObject } from "../objects/storage.ts";
import { createClaim, openWorld, type World } from "../testing/world.ts";

describe("the volume binder", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({
      controllers: [
        "persistentvolume-binder-controller",
        "persistentvolume-protection-controller",
        "persistentvolumeclaim-protection-controller",
      ],
    });
  });
  afterAll(() => world.close());

  const own = (name: string) => `${world.namespace}-${name}`;
  const claim = (name: string) => world.get<ClaimObject>(PersistentVolumeClaim, name);
  const volume = (name: string) => world.get<VolumeObject>(PersistentVolume, name);
  const claimIs = (name: string, phase: string) =>
    world.until(`claim ${name} is ${phase}`, async () => (await claim(name))?.status?.phase === phase);
  const volumeIs = (name: string, phase: string) =>
    world.until(`volume ${name} is ${phase}`, async () => (await volume(name))?.status?.phase === phase);
  const volumeOf = async (name: string) => {
    await claimIs(name, "Bound");
    return (await claim(name))?.spec.volumeName ?? "";
  };
  const createClass = (name: string, fields: object = {}) =>
    world.create(StorageClass, own(name), { provisioner: "kubernetes.io/host-path", ...fields });
  const createVolume = (name: string, spec: object = {}) =>
    world.create(PersistentVolume, own(name), {
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        hostPath: { path: "/tmp/data" },
        persistentVolumeReclaimPolicy: "Retain",
        ...spec,
      },
    });
  const records = (name: string, line: string) =>
    world.until(`${name} shows ${line}`, async () => (await world.events(name)).includes(line));

  it("makes a volume for a claim, and deletes it after the claim", async () => {
    await createClass("dynamic");
    await createClaim(world, "dynamic", { storageClassName: own("dynamic") });
    const name = await volumeOf("dynamic");
    const { uid } = (await claim("dynamic"))?.metadata ?? {};
    expect(name).toBe(`pvc-${uid}`);
    expect(await claim("dynamic")).toMatchObject({
      metadata: {
        annotations: {
          "pv.kubernetes.io/bind-completed": "yes",
          "pv.kubernetes.io/bound-by-controller": "yes",
          "volume.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
          "volume.beta.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
        },
      },
      status: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
    });
    expect(await volume(name)).toMatchObject({
      metadata: {
        annotations: {
          "pv.kubernetes.io/bound-by-controller": "yes",
          "pv.kubernetes.io/provisioned-by": "kubernetes.io/host-path",
        },
        finalizers: expect.arrayContaining(["kubernetes.io/pv-controller", "kubernetes.io/pv-protection"]),
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        claimRef: { kind: "PersistentVolumeClaim", namespace: world.namespace, name: "dynamic", uid },
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: own("dynamic"),
        volumeMode: "Filesystem",
      },
      status: { phase: "Bound" },
    });
    await records(
      "dynamic",
      `ProvisioningSucceeded: Successfully provisioned volume ${name} using kubernetes.io/host-path`,
    );
    await world.delete(PersistentVolumeClaim, "dynamic");
    await world.gone(PersistentVolume, name);
  });

  it("keeps a volume of policy Retain, Released, until a person decides", async () => {
    await createClass("retain", { reclaimPolicy: "Retain" });
    await createClaim(world, "retain", { storageClassName: own("retain") });
    const name = await volumeOf("retain");
    expect((await volume(name))?.metadata.finalizers).toEqual(["kubernetes.io/pv-protection"]);
    await world.delete(PersistentVolumeClaim, "retain");
    await volumeIs(name, "Released");
    await createClaim(world, "second", { storageClassName: own("retain") });
    expect(await volumeOf("second")).not.toBe(name);
    await world.delete(PersistentVolume, name);
    await world.gone(PersistentVolume, name);
  });

  it("takes the finalizer off when the policy changes to Retain", async () => {
    await createClass("changed");
    await createClaim(world, "changed", { storageClassName: own("changed") });
    const name = await volumeOf("changed");
    await world.patch(PersistentVolume, name, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
    await world.until(
      "only the protection is left",
      async () => (await volume(name))?.metadata.finalizers?.length === 1,
    );
    await world.delete(PersistentVolumeClaim, "changed");
    await volumeIs(name, "Released");
    await world.delete(PersistentVolume, name);
    await world.gone(PersistentVolume, name);
  });

  it("prefers the smallest volume that is large enough and has the fewest access modes", async () => {
    const storageClassName = own("static");
    await createVolume("small", { storageClassName, capacity: { storage: "500Mi" } });
    await createVolume("large", { storageClassName, capacity: { storage: "10Gi" } });
    await createVolume("many", { storageClassName, accessModes: ["ReadWriteOnce", "ReadWriteMany"] });
    await createVolume("right", { storageClassName, capacity: { storage: "2Gi" } });
    for (const name of ["small", "large", "many", "right"]) await volumeIs(own(name), "Available");
    await createClaim(world, "best", { storageClassName });
    expect(await volumeOf("best")).toBe(own("right"));
    expect((await claim("best"))?.status).toMatchObject({
      capacity: { storage: "2Gi" },
      accessModes: ["ReadWriteOnce"],
    });
    await volumeIs(own("right"), "Bound");
    await createClaim(world, "next", { storageClassName, selector: { matchLabels: { tier: "none" } } });
    await claimIs("next", "Pending");
    await world.patch(PersistentVolume, own("large"), { metadata: { labels: { tier: "none" } } });
    expect(await volumeOf("next")).toBe(own("large"));
  });

  it("binds what the user bound: by the claim, by the volume, and to no other", async () => {
    const storageClassName = own("reserved");
    const { namespace } = world;
    await createVolume("reserved", { storageClassName, claimRef: { namespace, name: "reserved" } });
    await volumeIs(own("reserved"), "Available");
    await createVolume("named", { storageClassName, capacity: { storage: "5Gi" } });
    await volumeIs(own("named"), "Available");
    await createClaim(world, "greedy", { storageClassName, volumeName: own("reserved") });
    await records("greedy", `FailedBinding: volume "${own("reserved")}" already bound to a different claim.`);
    await createClaim(world, "named", { storageClassName, volumeName: own("named") });
    expect(await volumeOf("named")).toBe(own("named"));
    await createClaim(world, "reserved", { storageClassName });
    expect(await volumeOf("reserved")).toBe(own("reserved"));
    expect((await claim("greedy"))?.status?.phase).toBe("Pending");
    // Reserved by the user: when the claim goes, so does nothing of the volume.
    await world.delete(PersistentVolumeClaim, "reserved");
    await volumeIs(own("reserved"), "Released");
    await world.patch(PersistentVolume, own("reserved"), { spec: { claimRef: null } });
    expect(await volumeOf("greedy")).toBe(own("reserved"));
  });

  it("says why a volume asked for by name does not do", async () => {
    await createVolume("tiny", { storageClassName: own("mismatch"), capacity: { storage: "1Mi" } });
    await createClaim(world, "demanding", { storageClassName: own("mismatch"), volumeName: own("tiny") });
    await records(
      "demanding",
      `VolumeMismatch: Cannot bind to requested volume "${own("tiny")}": requested PV is too small`,
    );
    await claimIs("demanding", "Pending");
  });

  it("waits for a class that does not exist yet", async () => {
    await createClaim(world, "early", { storageClassName: own("later") });
    await records("early", `ProvisioningFailed: storageclass.storage.k8s.io "${own("later")}" not found`);
    await createClass("later");
    await claimIs("early", "Bound");
  });

  it("leaves a claim of an external provisioner to it", async () => {
    await createClass("external", { provisioner: "csi.example/driver" });
    await createClaim(world, "external", { storageClassName: own("external") });
    await world.until("the claim is marked for it", async () => {
      const { annotations } = (await claim("external"))?.metadata ?? {};
      return annotations?.["volume.kubernetes.io/storage-provisioner"] === "csi.example/driver";
    });
    expect((await claim("external"))?.status?.phase).toBe("Pending");
  });

  it("makes a volume for the first consumer only when its node is known", async () => {
    await createClass("consumer", { volumeBindingMode: "WaitForFirstConsumer" });
    await world.create(Node, own("node"));
    await createClaim(world, "consumer", { storageClassName: own("consumer") });
    await records("consumer", "WaitForFirstConsumer: waiting for first consumer to be created before binding");
    await world.rest();
    expect((await claim("consumer"))?.status?.phase).toBe("Pending");
    const annotations = { "volume.kubernetes.io/selected-node": own("node") };
    await world.patch(PersistentVolumeClaim, "consumer", { metadata: { annotations } });
    await claimIs("consumer", "Bound");
    await world.delete(Node, own("node"));
  });

  it("keeps a bound volume that is being deleted, and lets it go after its claim", async () => {
    await createClass("deleted");
    await createClaim(world, "deleted", { storageClassName: own("deleted") });
    const name = await volumeOf("deleted");
    await world.delete(PersistentVolume, name);
    await world.rest();
    expect((await volume(name))?.metadata.deletionTimestamp).toBeDefined();
    expect((await claim("deleted"))?.status?.phase).toBe("Bound");
    await world.delete(PersistentVolumeClaim, "deleted");
    await world.gone(PersistentVolume, name);
  });

  it("calls a claim Lost when its volume was torn away", async () => {
    await createClass("lost");
    await createClaim(world, "lost", { storageClassName: own("lost") });
    const name = await volumeOf("lost");
    await world.delete(PersistentVolume, name);
    await world.patch(PersistentVolume, name, { metadata: { finalizers: null } });
    await claimIs("lost", "Lost");
    await records("lost", "ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  });

  /** A volume that outlives its claim, and is reserved for the next one of that name. */
  async function reservedAgain(name: string): Promise<{ volume: string; uid: string }> {
    await createClass(name);
    await createClaim(world, name, { storageClassName: own(name) });
    const made = await volumeOf(name);
    await world.patch(PersistentVolume, made, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
    const { uid = "" } = (await claim(name))?.metadata ?? {};
    await world.delete(PersistentVolumeClaim, name);
    await volumeIs(made, "Released");
    const annotations = { "pv.kubernetes.io/bound-by-controller": null };
    await world.patch(PersistentVolume, made, {
      metadata: { annotations },
      spec: { claimRef: { uid: null, resourceVersion: null } },
    });
    await volumeIs(made, "Available");
    return { volume: made, uid };
  }

  it("binds a released volume without its claim's uid to the next claim of that name, of any class", async () => {
    const { volume: made } = await reservedAgain("again");
    await createClass("other-class");
    await createClaim(world, "again", { storageClassName: own("other-class") });
    expect(await volumeOf("again")).toBe(made);
    expect((await volume(made))?.metadata.annotations).not.toHaveProperty("pv.kubernetes.io/bound-by-controller");
    await world.patch(PersistentVolume, made, { spec: { persistentVolumeReclaimPolicy: "Delete" } });
    await world.until("the finalizer is back", async () =>
      (await volume(made))?.metadata.finalizers?.includes("kubernetes.io/pv-controller"),
    );
    await world.delete(PersistentVolumeClaim, "again");
    await world.gone(PersistentVolume, made);
  });

  it("leaves a reserved volume out for a bigger claim, and reclaims it when uid and policy are back", async () => {
    const { volume: made, uid } = await reservedAgain("bigger");
    const resources = { requests: { storage: "2Gi" } };
    await createClaim(world, "bigger", { storageClassName: own("bigger"), resources });
    expect(await volumeOf("bigger")).not.toBe(made);
    expect((await volume(made))?.status?.phase).toBe("Available");
    await world.patch(PersistentVolume, made, { spec: { persistentVolumeReclaimPolicy: "Delete", claimRef: { uid } } });
    await world.gone(PersistentVolume, made);
    expect((await claim("bigger"))?.status?.phase).toBe("Bound");
  });

  it("says when it cannot delete what a volume stands for", async () => {
    const storageClassName = own("stuck");
    const spec = { storageClassName, persistentVolumeReclaimPolicy: "Delete", hostPath: { path: "/srv/data" } };
    await createVolume("stuck", spec);
    await createClaim(world, "stuck", { storageClassName });
    await volumeOf("stuck");
    await world.delete(PersistentVolumeClaim, "stuck");
    await volumeIs(own("stuck"), "Failed");
    expect((await volume(own("stuck")))?.status?.message).toBe(
      "host_path deleter only supports /tmp/.+ but received provided /srv/data",
    );
    await world.delete(PersistentVolume, own("stuck"));
    await world.gone(PersistentVolume, own("stuck"));
  });
});
