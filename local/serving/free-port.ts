import { createServer } from "node:http";
import { listen } from "../system-server/listen.ts";

/** A TCP port on loopback that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}
