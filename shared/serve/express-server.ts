import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Express } from "express";

/**
 * An HTTP server for an Express app. A sender that stops in the middle of a request does not hold a place for longer
 * than `patience`, in milliseconds: node answers it 408.
 */
export function createExpressServer(app: Express, patience = 30_000): Server {
  const limits = {
    // Of the two node takes the longer one for the body, whichever it is.
    requestTimeout: patience,
    headersTimeout: patience,
    // By itself it looks every half a minute.
    connectionsCheckingInterval: patience / 6,
  };
  return createServer({ ...messagesOf(app), ...limits }, app);
}

/**
 * Express gives each request and response the prototypes of its app, which makes V8 treat every one of them as a shape
 * of its own. Made with these prototypes in the first place, they stay fast.
 */
function messagesOf(app: Express) {
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

function withPrototype<Base extends new (...args: never[]) => object>(base: Base, prototype: object): Base {
  function Message(...args: never[]): object {
    return Reflect.construct(base, args, Message);
  }
  Message.prototype = prototype;
  return Message as unknown as Base;
}
