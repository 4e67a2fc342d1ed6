/**
 * A message: by field number the JSON name and, after a colon, the type. Types are `string`, `int`, `bool`, `bytes`,
 * `count` (left out when it is 0), `Time` and other messages; `T[]` repeats, `T{}` is a map from texts. Numbers
 * and names are those of Kubernetes 1.36.
 */
type Message = Readonly<Record<number, string>>;

const rules: Message = { 1: "metadata:ObjectMeta", 2: "rules:PolicyRule[]" };
const binding: Message = { 1: "metadata:ObjectMeta", 2: "subjects:Subject[]", 3: "roleRef:RoleRef" };
const accessReview: Message = { 1: "metadata:ObjectMeta", 2: "spec:SubjectAccessReviewSpec", 3: "status:Ignored" };

/** The kinds that kubectl's own commands send as protobuf, with all that they are made of. */
export const messages: Readonly<Record<string, Message>> = {
  Unknown: { 1: "typeMeta:TypeMeta", 2: "raw:raw", 3: "contentEncoding:string", 4: "contentType:string" },
  TypeMeta: { 1: "apiVersion:string", 2: "kind:string" },
  // What a server fills in is empty in a request.
  Ignored: {},

  ObjectMeta: {
    1: "name:string",
    2: "generateName:string",
    3: "namespace:string",
    4: "selfLink:string",
    5: "uid:string",
    6: "resourceVersion:string",
    7: "generation:count",
    8: "creationTimestamp:Time",
    9: "deletionTimestamp:Time",
    10: "deletionGracePeriodSeconds:int",
    11: "labels:string{}",
    12: "annotations:string{}",
    14: "finalizers:string[]",
  },
  DeleteOptions: {
    1: "gracePeriodSeconds:int",
    2: "preconditions:Preconditions",
    3: "orphanDependents:bool",
    4: "propagationPolicy:string",
    5: "dryRun:string[]",
  },
  Preconditions: { 1: "uid:string", 2: "resourceVersion:string" },

  Namespace: { 1: "metadata:ObjectMeta", 2: "spec:NamespaceSpec", 3: "status:NamespaceStatus" },
  NamespaceSpec: { 1: "finalizers:string[]" },
  NamespaceStatus: { 1: "phase:string" },
  ServiceAccount: { 1: "metadata:ObjectMeta", 4: "automountServiceAccountToken:bool" },
  ConfigMap: { 1: "metadata:ObjectMeta", 2: "data:string{}", 3: "binaryData:bytes{}", 4: "immutable:bool" },
  Secret: {
    1: "metadata:ObjectMeta",
    2: "data:bytes{}",
    3: "type:string",
    4: "stringData:string{}",
    5: "immutable:bool",
  },

  Role: rules,
  ClusterRole: rules,
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  PolicyRule: {
    1: "verbs:string[]",
    2: "apiGroups:string[]",
    3: "resources:string[]",
    4: "resourceNames:string[]",
    5: "nonResourceURLs:string[]",
  },
  Subject: { 1: "kind:string", 2: "apiGroup:string", 3: "name:string", 4: "namespace:string" },
  RoleRef: { 1: "apiGroup:string", 2: "kind:string", 3: "name:string" },

  TokenRequest: { 1: "metadata:ObjectMeta", 2: "spec:TokenRequestSpec", 3: "status:Ignored" },
  TokenRequestSpec: { 1: "audiences:string[]", 4: "expirationSeconds:int" },
  SelfSubjectReview: { 1: "metadata:ObjectMeta", 2: "status:Ignored" },
  SelfSubjectAccessReview: accessReview,
  SubjectAccessReview: accessReview,
  SubjectAccessReviewSpec: {
    1: "resourceAttributes:ResourceAttributes",
    2: "nonResourceAttributes:NonResourceAttributes",
    3: "user:string",
    4: "groups:string[]",
    6: "uid:string",
  },
  ResourceAttributes: {
    1: "namespace:string",
    2: "verb:string",
    3: "group:string",
    4: "version:string",
    5: "resource:string",
    6: "subresource:string",
    7: "name:string",
  },
  NonResourceAttributes: { 1: "path:string", 2: "verb:string" },

  Eviction: { 1: "metadata:ObjectMeta", 2: "deleteOptions:DeleteOptions" },
};
