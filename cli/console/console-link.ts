import { type Command, Option } from "commander";
import { consoleKinds } from "../../functions/platform/lib/console/console-kinds.ts";
import { pathOfObject } from "../../functions/platform/lib/console/object-page.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { ObjectMeta } from "../../shared/kubernetes/object.ts";

/** Where the user has the web console open. */
export interface ConsoleOptions {
  /** Scheme, host and port: `https://holdfast.example.com`. Empty or absent where none is named. */
  readonly console?: string | undefined;
}

/** Adds the option that says where the web console is. */
export const withConsole = (command: Command): Command =>
  command.addOption(
    new Option("--console <URL>", "link to the pages of the web console at this address")
      .env("HOLDFAST_CONSOLE")
      .argParser(readAddress),
  );

/** Of an address only what all pages share: a secret in it is never printed. @throws UserError where it is none */
function readAddress(text: string): string {
  if (text === "") return text;
  const { protocol = "", origin = "" } = URL.parse(text) ?? {};
  if (/^https?:$/.test(protocol)) return origin;
  throw new UserError(
    "--console (or HOLDFAST_CONSOLE) needs the address of the console, for example https://holdfast.example.com.",
  );
}

/** The page of an object; `undefined` where no console is named, or it has no page for the kind. */
export const linkTo = (
  console: string | undefined,
  { apiVersion, kind, plural }: Kind,
  { namespace, name }: Pick<ObjectMeta, "namespace" | "name">,
): string | undefined =>
  console && consoleKinds.has(`${apiVersion}/${plural}`)
    ? console + pathOfObject({ kind, namespace, name })
    : undefined;
