import { z } from "zod";

/** Names an object that has an address. */
export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Where events are sent to: an object, a URL, or a path below the object's URL. */
export interface Destination {
  readonly ref?: Reference | undefined;
  readonly uri?: string | undefined;
}

const reference = z.strictObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  namespace: z.string().min(1).optional(),
  name: z.string().min(1),
});

// CACerts and audience belong to transport encryption and OIDC, neither of which there is here.
export const destination: z.ZodType<Destination> = z
  .strictObject({ ref: reference.optional(), uri: z.string().min(1).optional() })
  .superRefine(({ ref, uri }, context) => {
    const absolute = uri !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(uri);
    if (!ref && uri === undefined) context.addIssue("needs ref or uri");
    else if (!ref && !absolute) context.addIssue("a uri without ref must be absolute");
    else if (ref && absolute) context.addIssue("a uri beside ref must be relative");
  });
