import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { systemClock } from "../../../shared/clock.ts";
import { runServer } from "../../../shared/serve/run-server.ts";
import { createConsole } from "../lib/console/console.ts";
import { consoleFunction } from "./declaration.ts";
import { byProxy } from "./proxy-sign-in.ts";
import { byToken } from "./token-sign-in.ts";
import { tokenTransports } from "./token-transport.ts";

runServer(consoleFunction, ({ settings, log }) => {
  const withToken = tokenTransports(settings, process.env);
  const signIn = settings.signIn === "proxy" ? byProxy(withToken) : byToken(withToken, settings, systemClock);
  const place = settings.origin ? { origins: [settings.origin] } : {};
  // The pages lie beside the bundle.
  const client = join(dirname(process.argv[1] ?? ""), "client");
  const server = createServer(createConsole({ signIn, place, client, log }));
  // Watches would go on for as long as pages are open; pages resume them at another instance.
  process.once("SIGTERM", () => setTimeout(() => server.closeAllConnections(), lastAnswers).unref());
  return server;
});

/** Milliseconds for what is being answered when the instance has to go. */
const lastAnswers = 2_000;
