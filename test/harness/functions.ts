import { fileURLToPath } from "node:url";
import type { output, ZodObject } from "zod";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { deadLetter } from "../../functions/platform/dead-letter/declaration.ts";
import { recordDeadLetters } from "../../functions/platform/dead-letter/record.ts";
import { sweepFunction } from "../../functions/platform/sweep/declaration.ts";
import type { Post } from "../../functions/platform/sweep/deliver.ts";
import { onTick } from "../../functions/platform/sweep/on-tick.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import { receive } from "../../shared/pipeline/receive.ts";
import type { Tools } from "../../shared/pipeline/tools.ts";
import type { Rule } from "../../shared/rule.ts";
import { readSettings } from "../../shared/settings.ts";

/** A function as a process would be: its instances share no memory. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

/** What an instance is started with. */
export interface Start extends Omit<Tools<unknown>, "settings"> {
  readonly environment: Readonly<Record<string, string>>;
  /** Only the sweep sends events itself. */
  readonly post: Post;
  /** Fresh ids for these events. */
  readonly id: () => string;
}

type Starter = (start: Start) => Handler;

const ofRule =
  <Schema extends ZodObject, Facts>(rule: Rule<Schema, Facts>): Starter =>
  ({ environment, ...tools }) =>
    receive(rule, { ...tools, settings: readSettings(rule.settings, environment) });

const withSettings =
  <Schema extends ZodObject>(schema: Schema, start: (tools: Tools<output<Schema>>, start: Start) => Handler): Starter =>
  (options) =>
    start({ ...options, settings: readSettings(schema, options.environment) }, options);

const declared = await loadDeclared(fileURLToPath(new URL("../..", import.meta.url)));
const rules = declared.filter((one): one is Rule => one.triggers !== undefined);

/** Starts an instance of each function of the repository, by its name. */
export const functions: Readonly<Record<string, Starter>> = {
  ...Object.fromEntries(rules.map((rule) => [rule.name, ofRule(rule)])),
  [sweepFunction.name]: withSettings(sweepFunction.settings, (tools, { post, id }) => onTick(tools, post, id)),
  [deadLetter.name]: withSettings(deadLetter.settings, recordDeadLetters),
};
