import type { HttpRequest, HttpResponse } from "../shared/http-message.ts";

/**
 * POSTs to a URL: the one seam between source, broker and function. Real HTTP where they are processes, a function call
 * where a whole world lives in one process on virtual time. Rejects when there is no answer at all.
 */
export type Send = (url: string, request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>;
