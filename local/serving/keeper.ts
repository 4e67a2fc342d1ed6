import { spawn } from "node:child_process";

/** Ends the processes of a program that can no longer do so itself. */
export type Keeper = ReturnType<typeof startKeeper>;

/**
 * A shell that outlives its parent by a moment: it reads process groups from a pipe, and when the pipe closes, even by
 * a `kill -9` of the parent, it kills those that are left. Processes cannot be expected to notice that by themselves.
 */
const script = `
trap "" INT TERM HUP
groups=" "
while read -r what group; do
  case $what in
    keep) groups="$groups$group " ;;
    forget) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done 2>/dev/null
`;

/** Starts a keeper. It costs one small shell process. */
export function startKeeper() {
  const shell = spawn("/bin/sh", ["-c", script], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
    cwd: "/",
  });
  shell.unref();
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  // A pipe that is waited for would keep a finished program alive.
  (shell.stdin as unknown as { unref?(): void }).unref?.();
  return {
    /** From now on the process group `pid` dies with this program, however this program ends. */
    keep: (pid: number) => void shell.stdin.write(`keep ${pid}\n`),
    /** The process group has ended by itself. */
    forget: (pid: number) => void shell.stdin.write(`forget ${pid}\n`),
    /** Lets the keeper go; it kills what it still keeps. */
    close: () => void shell.stdin.end(),
  };
}
