import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Transport } from "../../../../shared/kubernetes/transport.ts";
import type { Log } from "../../../../shared/log.ts";
import { createConsole } from "./console.ts";
import { readCookie, writeCookie } from "./cookie.ts";
import type { SignIn } from "./sign-in.ts";

/** What a console for the user of this machine is made of. */
export interface LocalParts {
  /** Carries the user's own credential. */
  readonly transport: Transport;
  readonly client: string;
  readonly log: Log;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Called when an address has been used: another browser needs another. */
  readonly entered?: () => void;
}

/** A console on loopback. */
export interface LocalConsole {
  readonly port: number;
  /** Scheme, host and port, by which links to its pages begin. */
  readonly origin: string;
  /**
   * An address with a secret that opens the console once, at the page of an object (`/object/...`) where one is given;
   * the one before it opens it no longer.
   */
  address(page?: string): string;
  close(): Promise<void>;
}

/**
 * Serves the console to the user of this machine, by their own credential. Other users of the machine, and pages of
 * other sites in the same browser, reach the port, too: only who has the printed address gets in. Rejects when the port
 * is taken.
 */
export async function serveLocally(parts: LocalParts): Promise<LocalConsole> {
  const server = createServer();
  server.listen(parts.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { signIn, mint } = byAddress(parts, port);
  const place = { hosts, origins: hosts.map((host) => `http://${host}`) };
  server.on("request", createConsole({ ...parts, signIn, place }));
  const origin = `http://${hosts[0]}`;
  return {
    port,
    origin,
    address: (page) => `${origin}/open/${mint()}${page ? `?page=${encodeURIComponent(page)}` : ""}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function byAddress({ transport, entered }: LocalParts, port: number): { signIn: SignIn; mint: () => string } {
  // A browser sends its cookies to every port of a host.
  const name = `holdfast-console-${port}`;
  const pass = randomBytes(32).toString("base64url");
  let secret: string | undefined;
  const signIn: SignIn = {
    how: "kubeconfig",
    transportFor: async (request) => (isSame(readCookie(request, name), pass) ? transport : undefined),
    enter(given) {
      if (!isSame(given, secret)) return undefined;
      secret = undefined;
      entered?.();
      return writeCookie(name, pass, day, false);
    },
    forget: (_, because) => (because === "asked" ? writeCookie(name, "", 0, false) : undefined),
  };
  return {
    signIn,
    mint() {
      secret = randomBytes(32).toString("base64url");
      return secret;
    },
  };
}

const day = 24 * 60 * 60;

function isSame(given: string | undefined, expected: string | undefined): boolean {
  if (given === undefined || expected === undefined || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
