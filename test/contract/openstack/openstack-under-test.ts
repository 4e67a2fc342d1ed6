import type { Clock } from "../../../shared/clock.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";

/** An OpenStack that the contract is held against: the real one, which is right by definition, or the stand-in. */
export interface OpenStackUnderTest {
  readonly authUrl: string;
  readonly transportTo: (root: string) => SystemTransport;
  readonly clock: Clock;
  /** Of `admin`, who is an administrator in the project `admin`, and of `demo`, who is a plain member of `demo`. */
  readonly password: string;
  /** Two compute hosts, both of them up; live moves between them take some seconds. */
  readonly hosts: readonly [string, string];
  /** What `POST /servers` needs beside name and host. */
  readonly server: { readonly imageRef?: string | undefined; readonly flavorRef?: string };
  /** Waits for what was begun, while time passes. */
  settled<T>(work: Promise<T>): Promise<T>;
  /** Silences an agent of Neutron and has it report again; absent likewise. */
  readonly agents?: (host: string, sort: "l3" | "dhcp", isRunning: boolean) => Promise<void>;
  /** Stops and starts a host's nova-compute; absent where nothing can be stopped: these cases are skipped then. */
  readonly control?: { stop(host: string): Promise<void>; start(host: string): Promise<void> };
}
