import { afterAll, beforeAll } from "vitest";
import type { Backend } from "./backend.ts";

/** A backend that is there while tests run. */
export type OpenBackend = Pick<Backend, "open">;

/** Starts a backend before the tests of the `describe` it is called in, and stops it after the last. */
export function whileTestsRun(start: () => Promise<Backend>): OpenBackend {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend?.stop());
  return { open: (...args) => backend.open(...args) };
}
