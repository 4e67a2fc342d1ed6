import { join } from "node:path";
import { Command } from "commander";
import { declaredKinds } from "../../functions/platform/lib/console/declared-kinds.ts";
import { type LocalConsole, serveLocally } from "../../functions/platform/lib/console/serve-locally.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { wholeNumber } from "../../shared/command/parse-flags.ts";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { createLog } from "../../shared/log.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import type { Subcommand } from "../subcommand.ts";
import { clientFolder } from "./client-folder.ts";
import { openBrowser } from "./open-browser.ts";

interface ConsoleOptions extends ClusterOptions {
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
          "Serves the web console on this machine only, with your rights: it shows what is held and why, and acts " +
            "where you do. It prints an address that opens it in one browser, and another one when that was used. " +
            "Ctrl-C ends it.",
        ),
    )
      .option("--port <N>", "port on 127.0.0.1 (default: a free one)")
      .option("--no-open", "print the address, and open no browser"),
  async run(_, { kubeconfig, context, port: wanted, open }: ConsoleOptions) {
    const port = wanted === undefined ? 0 : wholeNumber("--port", wanted, 1, 65_535);
    openCluster({ ...(kubeconfig ? { kubeconfig } : {}), ...(context ? { context } : {}) });
    using folder = temporaryFolder("console");
    const print = (served: LocalConsole, first: boolean) => {
      const address = served.address();
      process.stdout.write(first ? `Console  ${address}\n` : `For another browser: ${address}\n`);
      if (first && open && process.stdout.isTTY) openBrowser(address, folder.path);
    };
    const served: LocalConsole = await serveLocally({
      transport: kubeconfigTransport(kubeconfig && fromHere(kubeconfig), context),
      client: await clientFolder(join(folder.path, "client")),
      kinds: declaredKinds(),
      log: createLog("warn"),
      port,
      entered: () => print(served, false),
    }).catch((error) => {
      throw portComplaint(error, port);
    });
    print(served, true);
    // Ctrl-C ends the program by itself; a terminal that is closed would leave the folder.
    await new Promise((resolve) => process.once("SIGHUP", resolve));
    await served.close();
    return exitCode.good;
  },
};

function portComplaint(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") return new UserError(`Port ${port} is in use; choose another with --port.`);
  if (error.code === "EACCES") return new UserError(`Port ${port} is not yours to use; choose one above 1023.`);
  return error;
}
