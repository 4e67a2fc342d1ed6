import { join } from "node:path";
import { Command } from "commander";
import { pathOfObject } from "../../functions/platform/lib/console/object-page.ts";
import { type LocalConsole, serveLocally } from "../../functions/platform/lib/console/serve-locally.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { wholeNumber } from "../../shared/command/parse-flags.ts";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { createLog } from "../../shared/log.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { findObject, readName } from "../cluster/find-object.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import type { Subcommand } from "../subcommand.ts";
import { clientFolder } from "./client-folder.ts";
import { openBrowser } from "./open-browser.ts";

interface ConsoleOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly port?: string;
  readonly open: boolean;
}

/** `holdfast console` */
export const openConsole: Subcommand = {
  declare: () =>
    withCluster(
      new Command("console")
        .summary("serve the web console to your browser")
        .description(
          "Serves the web console on this machine only, with your rights: it shows what is held and why, and changes " +
            "only what you confirm. It prints an address that works once, in one browser, and a new address when you " +
            "have used it. Ctrl-C ends it. With an object, the address opens its page.",
        )
        .argument("[OBJECT...]", "KIND/NAME or KIND NAME, for example pvc/data-web-0 or node/n1"),
    )
      .option("-n, --namespace <NS>", "where the object is (default: that of the context)")
      .option("--port <N>", "port on 127.0.0.1 (default: a free one)")
      .option("--no-open", "print the address, and open no browser"),
  async run(words, { port: wanted, open, ...options }: ConsoleOptions) {
    const port = wanted === undefined ? 0 : wholeNumber("--port", wanted, 1, 65_535);
    const { kubeconfig, context } = options;
    const page = await pageOf(words, options);
    using folder = temporaryFolder("console");
    const print = (served: LocalConsole, first: boolean) => {
      const address = served.address(first ? page : undefined);
      process.stdout.write(first ? `Console  ${address}\n` : `For another browser: ${address}\n`);
      if (first && open && process.stdout.isTTY) openBrowser(address, folder.path);
    };
    const served: LocalConsole = await serveLocally({
      transport: kubeconfigTransport(kubeconfig && fromHere(kubeconfig), context),
      client: await clientFolder(join(folder.path, "client")),
      log: createLog("warn"),
      port,
      entered: () => print(served, false),
    }).catch((error) => {
      throw portComplaint(error, port);
    });
    print(served, true);
    process.stdout.write(
      `To have explain and status link to this console, run: export HOLDFAST_CONSOLE=${served.origin}\n`,
    );
    // Ctrl-C ends the program by itself; a terminal that is closed would leave the folder.
    await new Promise((resolve) => process.once("SIGHUP", resolve));
    await served.close();
    return exitCode.good;
  },
};

/** The page of the object that is named; `undefined` where none is. @throws UserError where there is no such object */
async function pageOf(
  words: readonly string[],
  { namespace: wanted, ...options }: ClusterOptions & { readonly namespace?: string },
): Promise<string | undefined> {
  const { client, namespace } = openCluster(options);
  if (words.length === 0) return undefined;
  const { object } = await findObject(client, readName(words), wanted ?? namespace, []);
  return pathOfObject({ kind: object.kind, ...object.metadata });
}

function portComplaint(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") return new UserError(`Port ${port} is in use; choose another with --port.`);
  if (error.code === "EACCES") return new UserError(`Port ${port} is not yours to use; choose one above 1023.`);
  return error;
}
