import * as z from "zod";

/** Helm holds names to these patterns, too: it knows no lookahead. */
const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const anObject = "expected the name of an object such as holdfast-sweep";
const aNamespace = "expected the name of a namespace such as kube-system";

/** A setting that names an object, as most kinds are named: up to 253 lower-case letters, digits, dots and hyphens. */
export const objectName = z
  .string()
  .max(253, anObject)
  .regex(new RegExp(`^${label}(\\.${label})*$`), anObject);

/** A setting that names a namespace: one part of such a name, up to 63 characters. */
export const namespaceName = z
  .string()
  .max(63, aNamespace)
  .regex(new RegExp(`^${label}$`), aNamespace);
