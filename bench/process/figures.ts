import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** What a process has used so far. */
export interface Figures {
  /** Memory that is resident, in bytes. */
  readonly rss: number;
  /** The most memory that ever was resident, in bytes; where the system does not say, what is resident now. */
  readonly peak: number;
  /** Processor time of all its threads, in milliseconds; in steps of 10. */
  readonly cpu: number;
}

/** Reads the figures of a running process from /proc, elsewhere from ps. */
export function figuresOf(pid: number): Figures {
  return existsSync("/proc/self/stat") ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): Figures {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  // After the name, which may contain anything, in parentheses: user and system time in hundredths of a second.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return { rss: kilobytes("VmRSS"), peak: kilobytes("VmHWM"), cpu: (Number(stat[11]) + Number(stat[12])) * 10 };
}

function fromPs(pid: number): Figures {
  const output = execFileSync("ps", ["-o", "rss=,time=", "-p", String(pid)], { encoding: "utf8" }).trim();
  const [rss = "", time = ""] = output.split(/\s+/);
  const seconds = time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0);
  return { rss: Number(rss) * 1024, peak: Number(rss) * 1024, cpu: seconds * 1000 };
}
