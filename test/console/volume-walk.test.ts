import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../shared/kubernetes/kind.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Program, startProgram } from "../worlds/program.ts";
import { openBrowser, tabTo } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { storageClass } from "./objects.ts";

const asObject = (object: object) => object as KubernetesObject;

const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "metalk8s", resources: { requests: { storage: "1Gi" } } },
};
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "reader", namespace: "default" },
  spec: {
    containers: [{ name: "main", image: "reader" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
  },
};

/** Notes each state that a row has from now on, however short. */
const noteStates = (page: Page, name: string) =>
  page.evaluate(`{
    globalThis.states = [];
    const note = () => {
      const row = [...document.querySelectorAll("tr")].find((one) => one.innerText.startsWith(${JSON.stringify(name)}));
      const text = row?.querySelector("[data-label=State]")?.innerText.trim();
      if (text && states.at(-1) !== text) states.push(text);
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);

describe.skipIf(!hasBrowser)("on the cluster of npm start", () => {
  let program: Program;
  let browser: Browser;
  let admin: Client;
  beforeAll(async () => {
    program = await startProgram(["--no-tour"]);
    const [, file = ""] = /export KUBECONFIG=(\S+)/.exec(program.said()) ?? [];
    admin = createClient(kubeconfigTransport(file));
    await admin.create(StorageClass, asObject(storageClass("metalk8s")));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await program?.stop();
  });

  test("a Volume is created by keyboard alone, used, not deleted while it is used, and deleted", async () => {
    const [, address = ""] = /Console +(\S+)/.exec(program.said()) ?? [];
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(address);
    await page.getByRole("navigation").getByRole("link", { name: "Volumes", exact: true }).click();
    await page.getByText("There are no Volumes").waitFor();

    await tabTo(page, page.getByRole("button", { name: "Create Volumes" }));
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const next = async (name: string) => {
      await tabTo(page, dialog.getByRole("button", { name, exact: true }));
      await page.keyboard.press("Enter");
    };
    await tabTo(page, dialog.getByRole("textbox", { name: "Name", exact: true }));
    await page.keyboard.type("data-1");
    await tabTo(page, dialog.getByRole("combobox", { name: "Node" }));
    await page.keyboard.type("laptop");
    await next("Next");
    await tabTo(page, dialog.getByRole("textbox", { name: "Size", exact: true }));
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("1Gi");
    await next("Next");
    await tabTo(page, dialog.getByRole("combobox", { name: "StorageClass" }));
    await page.keyboard.type("metalk8s");
    await tabTo(page, dialog.getByLabel("Labels of the PersistentVolume"));
    await page.keyboard.type("app=reader");
    await next("Next");
    await dialog.getByText("storageClassName: metalk8s").waitFor();
    await noteStates(page, "data-1");
    await next("Create the Volume");
    await dialog.waitFor({ state: "hidden" });

    const row = page.getByRole("row", { name: /^data-1/ });
    const remove = row.getByRole("button", { name: "Delete" });
    await row.getByText("Available").waitFor();
    const states = (await page.evaluate("states")) as string[];
    expect(states.join("\n")).toMatch(/Pending[\s\S]*Job PrepareVolume[\s\S]*Available/);
    const volume = await admin.get<KubernetesObject & { spec: object }>(Volume, undefined, "data-1");
    expect(volume?.spec).toMatchObject({ nodeName: "laptop", sparseLoopDevice: { size: "1Gi" }, mode: "Filesystem" });
    const made = await admin.get(PersistentVolume, undefined, "data-1");
    expect(made?.metadata.labels).toMatchObject({ app: "reader" });

    await admin.create(PersistentVolumeClaim, asObject(claim));
    await admin.create(Pod, asObject(pod));
    await row.getByRole("link", { name: "default/data" }).waitFor();
    await remove.hover({ force: true });
    await page.getByRole("tooltip", { name: /bound to the claim default\/data: delete that claim first/ }).waitFor();
    await row.getByRole("link", { name: "data-1", exact: true }).click();
    await page.getByText("uses the claim, on").waitFor();
    await page.goBack();

    await admin.delete(Pod, "default", "reader");
    await admin.delete(PersistentVolumeClaim, "default", "data");
    await row.getByRole("button", { name: "Delete", disabled: false }).waitFor();
    await noteStates(page, "data-1");
    await expect.poll(() => remove.getAttribute("aria-disabled"), { timeout: 60_000 }).not.toBe("true");
    await remove.click();
    await dialog.getByText("kubectl delete volumes.storage.metalk8s.scality.com data-1").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(((await page.evaluate("states")) as string[]).join("\n")).toContain("Terminating");
    expect(await admin.get(Volume, undefined, "data-1")).toBeUndefined();
  }, 180_000);
});
