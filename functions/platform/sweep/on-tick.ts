import { randomUUID } from "node:crypto";
import * as z from "zod";
import { unbrokenSince } from "../../../shared/event/unbroken-since.ts";
import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";
import { outcomeOf, replyTo } from "../../../shared/outcome.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import { coalesce } from "../../../shared/pipeline/coalesce.ts";
import type { Tools } from "../../../shared/pipeline/tools.ts";
import { type Settings, sweepFunction } from "./declaration.ts";
import type { Post } from "./deliver.ts";
import { postSigned } from "./post.ts";
import { sweep } from "./sweep.ts";

/**
 * Takes the PingSource's events: each is one tick. Of what the event says only a time counts, which may have everything
 * resynced, so each sender of an event starts a sweep. Only one goes on at a time: the events that come meanwhile share
 * the next one.
 */
export function onTick(
  tools: Tools<Settings>,
  post: Post = postSigned(tools.settings),
  id: () => string = randomUUID,
): (request: HttpRequest) => Promise<HttpResponse> {
  const { clock, log, settings } = tools;
  const namespace = settings.namespace || ownNamespace();
  const sweepOnce = coalesce<string | undefined, HttpResponse>(async (_, times) => {
    try {
      const client = await tools.client();
      const message = await sweep(
        { client, clock, log, post, id, unbrokenSince: times.flatMap((text) => timeIn(text) ?? []) },
        { ...settings, namespace, tick: settings.tick * 1000 },
      );
      log.info({ rule: sweepFunction.name }, message);
      return replyTo([]);
    } catch (error) {
      const outcome = outcomeOf(error);
      log.error({ rule: sweepFunction.name, status: outcome.status }, outcome.message);
      return replyTo([outcome]);
    }
  });
  return ({ headers }) => sweepOnce("tick", headers[`ce-${unbrokenSince}`]);
}

const time = z.iso.datetime({ precision: 3 });

/** A time that anyone may have sent. */
const timeIn = (text: string | undefined) => time.safeParse(text).data;
