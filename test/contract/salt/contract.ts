import { failures } from "./failures.ts";
import { faults } from "./faults.ts";
import { type Harness, harnessFor } from "./harness.ts";
import { jobs } from "./jobs.ts";
import { login } from "./login.ts";
import { protocol } from "./protocol.ts";
import { requests } from "./requests.ts";
import type { SaltUnderTest } from "./salt-under-test.ts";
import { volumes } from "./volumes.ts";

/**
 * What the product loads on of Salt and salt-api, each point once, with the functions and states of the folder
 * `states`. The real one is right by definition.
 */
export function saltContract(open: () => SaltUnderTest): void {
  const at = once(open);
  login(at);
  requests(at);
  jobs(at);
  failures(at);
  faults(at);
  protocol(at);
}

/** What the product loads on of its own functions and states, with which this Salt serves its minions. */
export function volumesContract(open: () => SaltUnderTest): void {
  volumes(once(open));
}

function once(open: () => SaltUnderTest): () => Harness {
  let harness: Harness | undefined;
  return () => {
    harness ??= harnessFor(open());
    return harness;
  };
}
