import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type { output, ZodObject } from "zod";
import { systemClock } from "../clock.ts";
import type { FunctionDeclaration } from "../declaration.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { Client } from "../kubernetes/client.ts";
import { createLog, type Log } from "../log.ts";
import type { Tools } from "../pipeline/tools.ts";
import { isWanted, type Telemetry } from "../telemetry/telemetry.ts";
import { connectSystems } from "./connect-systems.ts";
import { createExpressServer } from "./express-server.ts";
import { type CheckSender, senderCheck } from "./oidc/sender-check.ts";
import { readOidcSettings } from "./oidc/settings.ts";
import { createBodyReader, largestBody } from "./read-body.ts";
import { runServer } from "./run-server.ts";

/**
 * Runs a function's handler as a Knative function: listens on `PORT` (8080), answers `/health/live` and
 * `/health/ready`, takes events by POST, and on SIGTERM finishes what it has begun before it exits. Settings that
 * cannot be used end the process at once, so that a new Revision never becomes ready and the old one keeps the traffic.
 */
export function serveFunction<Schema extends ZodObject>(
  declaration: FunctionDeclaration<Schema>,
  handlerOf: (tools: Tools<output<Schema>>) => (request: HttpRequest) => Promise<HttpResponse>,
): void {
  // Without it nothing is waited for, and nothing of it is read.
  if (!isWanted(process.env)) serveWith(declaration, handlerOf);
  else void startTelemetry(declaration.name).then((telemetry) => serveWith(declaration, handlerOf, telemetry));
}

/** A variable that OpenTelemetry cannot use must not keep a rule from its work. */
async function startTelemetry(rule: string): Promise<Telemetry | undefined> {
  const log = createLog();
  try {
    return (await import("../telemetry/open-telemetry.ts")).startTelemetry(rule, log);
  } catch (error) {
    log.error({ rule }, `The function goes on without telemetry, which cannot be started: ${(error as Error).message}`);
    return undefined;
  }
}

function serveWith<Schema extends ZodObject>(
  declaration: FunctionDeclaration<Schema>,
  handlerOf: (tools: Tools<output<Schema>>) => (request: HttpRequest) => Promise<HttpResponse>,
  telemetry?: Telemetry,
): void {
  runServer(
    declaration,
    ({ settings, log }) => {
      const connect = connectSystems(declaration.systems ?? {}, process.env, systemClock, telemetry?.transport);
      const verifiesSenders = readOidcSettings(process.env) !== undefined;
      const observed = telemetry ? { observe: telemetry.observe, observedClient: telemetry.client } : {};
      const client = lazyClient(telemetry?.client);
      const tools = { client, connect, clock: systemClock, log, settings, verifiesSenders, ...observed };
      const handle = handlerOf(tools);
      const handler = telemetry?.handler(handle) ?? handle;
      return createExpressServer(application(handler, log, senderCheck(tools, process.env)));
    },
    telemetry?.stop,
  );
}

/** Listening comes first: the client is imported when the first event needs a look. */
function lazyClient(observed: (client: Client) => Client = (client) => client): () => Promise<Client> {
  let client: Promise<Client> | undefined;
  return () => {
    client ??= import("./connect.ts").then(({ connect }) => observed(connect()));
    // A kubeconfig that could not be read may be there at the next event.
    client.catch(() => {
      client = undefined;
    });
    return client;
  };
}

/**
 * What a function answers over HTTP. The sender is checked by the headers, before any of the body is read. `handle`
 * reads what it needs of a body before it first waits, and keeps no more than that: the body counts no longer.
 */
export function application(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  log: Log,
  checkSender?: CheckSender,
): Express {
  const readBody = createBodyReader();
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // Events come first: matching their path with the routes below would be for nothing.
  app.use(async (request: Request, response: Response, next: NextFunction) => {
    if (request.method !== "POST") return next();
    const headers = request.headers as Record<string, string>;
    const unwanted = await checkSender?.(headers);
    if (unwanted) {
      request.resume();
      return reply(response, unwanted);
    }
    const body = await readBody(request);
    if (body.refused) return reply(response, refusals[body.refused]);
    reply(response, await handle({ headers, body: body.take() }));
  });
  app.get(["/health/live", "/health/ready"], (_request: Request, response: Response) => {
    reply(response, { status: 204, headers: {}, body: "" });
  });
  app.use((_request: Request, response: Response) => {
    reply(response, { status: 405, headers: plain, body: "Events are sent by POST." });
  });
  app.use((error: Error, _request: Request, response: Response, _next: unknown) => {
    log.error({}, `The request was not read to its end: ${error.message}`);
    if (!response.headersSent) reply(response, { status: 400, headers: plain, body: "The request could not be read." });
  });
  return app;
}

/** Plain node: express' own `send` would compute lengths, charsets and freshness for an empty answer. */
function reply(response: Response, { status, headers, body }: HttpResponse): void {
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] as string);
  response.end(body || undefined);
}

const plain = { "content-type": "text/plain; charset=utf-8" };

const refusals = {
  "too long": { status: 413, headers: plain, body: `An event may have at most ${largestBody} bytes.` },
  "too many at once": { status: 503, headers: plain, body: "Too many large events come at once. Send this one again." },
};
