import type { Server } from "node:http";
import type { output, ZodObject } from "zod";
import type { FunctionDeclaration } from "../declaration.ts";
import { createLog, type Log, readLogLevel } from "../log.ts";
import { readSettings, SettingsError } from "../settings.ts";

/**
 * Runs a function's server: it listens on `PORT` (8080), and on SIGTERM finishes what it has begun before it exits.
 * Settings that cannot be used end the process at once, so that a new Revision never becomes ready and the old one
 * keeps the traffic.
 *
 * @param atEnd what the exit waits for, when no request is in flight any more; never rejects
 */
export function runServer<Schema extends ZodObject>(
  { name, settings: schema }: Pick<FunctionDeclaration<Schema>, "name" | "settings">,
  serverOf: (tools: { readonly settings: output<Schema>; readonly log: Log }) => Server,
  atEnd?: () => Promise<void>,
): void {
  let log = createLog();
  try {
    log = createLog(readLogLevel(process.env.LOG_LEVEL));
    const server = serverOf({ settings: readSettings(schema, process.env), log });
    const port = readPort(process.env.PORT);
    server.once("error", (error) => fail(`It cannot listen on port ${port}: ${error.message}.`));
    server.listen(port, () => log.debug({ rule: name }, "The function listens."));
    drainOnSignal(server, atEnd);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    fail(`${error.message} Correct the Service's environment.`);
  }

  function fail(message: string): void {
    log.error({ rule: name }, message);
    process.exitCode = 1;
  }
}

function readPort(value = ""): number {
  const port = /^\d*$/.test(value) ? Number(value || 8080) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new SettingsError(`PORT is ${JSON.stringify(value)}: expected a whole number from 1 to 65535.`);
}

/** Knative sends SIGTERM after its proxy has drained; what is still in flight is finished, and nothing new is taken. */
function drainOnSignal(server: Server, atEnd = () => Promise.resolve()): void {
  const drain = () => {
    server.close(() => atEnd().then(() => process.exit(0)));
    // A connection that is kept alive would go on bringing events, or hold the exit up for nothing.
    server.prependListener("request", (_request, response) => response.setHeader("connection", "close"));
    setInterval(() => server.closeIdleConnections(), 100).unref();
  };
  process.once("SIGTERM", drain);
  process.once("SIGINT", drain);
}
