import { existsSync } from "node:fs";
import { join } from "node:path";
import { type LocalConsole, serveLocally } from "../../functions/platform/lib/console/serve-locally.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { createLog } from "../../shared/log.ts";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import type { Bundles } from "./launch.ts";
import type { Session } from "./session.ts";

/** Serves the web console for a cluster until the session ends, and prints its address; where its pages are built. */
export async function startConsole(
  transport: Transport,
  { pages }: Pick<Bundles, "pages">,
  session: Pick<Session, "onEnd">,
  terminal: Terminal,
): Promise<void> {
  if (!existsSync(join(pages, "index.html"))) return;
  const print = (served: LocalConsole) => terminal.print(`Console     ${served.address()}`);
  const served = await serveLocally({
    transport,
    client: pages,
    log: createLog("warn"),
    // Each address opens one browser.
    entered: () => print(served),
  });
  session.onEnd(served.close);
  print(served);
  terminal.print(`its links   export HOLDFAST_CONSOLE=${served.origin}`);
}
