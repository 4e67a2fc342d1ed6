import * as z from "zod";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** A setting that names an object, as most kinds are named: up to 253 lower-case letters, digits, dots and hyphens. */
export const objectName = z
  .string()
  .regex(new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`), "expected the name of an object such as holdfast-sweep");

/** A setting that names a namespace: one part of such a name, up to 63 characters. */
export const namespaceName = z
  .string()
  .regex(new RegExp(`^(?=.{1,63}$)${label}$`), "expected the name of a namespace such as kube-system");
