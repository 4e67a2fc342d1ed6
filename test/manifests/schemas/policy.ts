import * as z from "zod";
import { clusterWide, name } from "./common.ts";

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.enum(["In", "NotIn"]), values: z.array(z.string()).min(1) }))
    .optional(),
});

/** A CEL expression that others, or a message, call by its name. */
const expression = z.strictObject({ name: z.string().min(1), expression: z.string().min(1) });

export const policy = z.strictObject({
  apiVersion: z.literal("admissionregistration.k8s.io/v1"),
  kind: z.literal("MutatingAdmissionPolicy"),
  metadata: clusterWide,
  spec: z.strictObject({
    failurePolicy: z.literal("Ignore"),
    reinvocationPolicy: z.enum(["Never", "IfNeeded"]),
    // With what the API server adds: it is one field to it, and a second applier would get a conflict.
    matchConstraints: z.strictObject({
      matchPolicy: z.literal("Equivalent"),
      namespaceSelector: z.strictObject({}),
      objectSelector: z.strictObject({}),
      resourceRules: z.array(
        z.strictObject({
          apiGroups: z.array(z.string()),
          apiVersions: z.array(z.string()),
          operations: z.array(z.enum(["CREATE", "UPDATE"])).min(1),
          resources: z.array(z.string()),
          scope: z.literal("*"),
        }),
      ),
    }),
    matchConditions: z.array(expression).optional(),
    variables: z.array(expression).optional(),
    mutations: z.tuple([
      z.strictObject({
        patchType: z.literal("ApplyConfiguration"),
        applyConfiguration: z.strictObject({ expression: z.string() }),
      }),
    ]),
  }),
});

export const writePolicy = z.strictObject({
  apiVersion: z.literal("admissionregistration.k8s.io/v1"),
  kind: z.literal("ValidatingAdmissionPolicy"),
  metadata: clusterWide,
  spec: z
    .strictObject({
      failurePolicy: z.literal("Fail"),
      paramKind: z.strictObject({ apiVersion: z.string(), kind: z.string() }).optional(),
      matchConstraints: z.strictObject({
        matchPolicy: z.literal("Exact"),
        namespaceSelector: z.strictObject({}),
        objectSelector: z.strictObject({
          matchExpressions: z.array(z.strictObject({ key: z.string(), operator: z.literal("Exists") })).optional(),
        }),
        resourceRules: z.array(
          z.strictObject({
            apiGroups: z.tuple([z.string()]),
            apiVersions: z.tuple([z.literal("*")]),
            operations: z.array(z.enum(["CREATE", "UPDATE", "DELETE"])).min(1),
            resources: z.tuple([z.string()]),
            scope: z.literal("*"),
          }),
        ),
      }),
      matchConditions: z.tuple([expression]),
      variables: z.array(expression).optional(),
      validations: z
        .array(z.strictObject({ expression: z.string(), message: z.string(), reason: z.literal("Forbidden") }))
        .min(1),
    })
    .refine(
      ({ paramKind, matchConstraints: { objectSelector } }) => !paramKind || objectSelector.matchExpressions,
      "It would refuse what others create, where its paramKind is not served.",
    ),
});

export const writePolicyBinding = z.strictObject({
  apiVersion: z.literal("admissionregistration.k8s.io/v1"),
  kind: z.literal("ValidatingAdmissionPolicyBinding"),
  metadata: clusterWide,
  spec: z.strictObject({
    policyName: name,
    paramRef: z.strictObject({ selector: z.strictObject({}), parameterNotFoundAction: z.literal("Allow") }).optional(),
    validationActions: z.tuple([z.literal("Deny")]),
  }),
});

export const policyBinding = z.strictObject({
  apiVersion: z.literal("admissionregistration.k8s.io/v1"),
  kind: z.literal("MutatingAdmissionPolicyBinding"),
  metadata: clusterWide,
  spec: z.strictObject({
    policyName: name,
    matchResources: z.strictObject({ namespaceSelector: selector, objectSelector: selector }).partial().optional(),
  }),
});
