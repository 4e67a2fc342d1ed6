import { sendRequest } from "../../../shared/http/send-request.ts";
import { authorization, type BrokerTokens } from "./broker-token.ts";
import type { Post } from "./deliver.ts";

/**
 * Posts to brokers, over connections that node keeps for the next event, and signs in where there is a token. Not by
 * `fetch`, which takes 20 MB to load and much more for the events of a large cluster.
 */
export const postSigned =
  (tokens: BrokerTokens): Post =>
  async (url, { headers, body }, signal) => {
    const signed = { ...headers, ...(await authorization(url, tokens)) };
    const response = await sendRequest(url, { method: "POST", headers: signed, ...(signal ? { signal } : {}) }, body);
    response.resume();
    return { status: response.statusCode ?? 0, headers: {}, body: "" };
  };
