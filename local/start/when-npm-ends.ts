import { execFileSync } from "node:child_process";

/** Milliseconds between two looks at whether the process that started this one is still there. */
const look = 500;

/**
 * Calls `ended` when npm, where it has started this program, is gone. What npm cannot hand on, as a `kill -9` of it,
 * would leave the program and its functions at work. Looks twice a second, and keeps no program alive.
 */
export function whenNpmEnds(ended: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = npmProcess();
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    ended();
  }, look);
  timer.unref();
}

/** npm runs a script by a shell, which stays between the two, unless it has made way for the script. */
function npmProcess(): number | undefined {
  try {
    const said = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(process.ppid)], { encoding: "utf8" });
    const [, parent = "", command = ""] = /^\s*(\d+)\s+(.*)$/m.exec(said) ?? [];
    return /(^|\/)(ba|da|z|k)?sh$/.test(command.trim()) ? Number(parent) : process.ppid;
  } catch {
    // Where there is no ps, a signal has to reach this process itself.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
