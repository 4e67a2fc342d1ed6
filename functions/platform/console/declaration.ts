import * as z from "zod";
import type { FunctionDeclaration } from "../../../shared/declaration.ts";

const settings = z.object({
  signIn: z
    .enum(["token", "proxy"])
    .default("token")
    .describe(
      "How people sign in. `token`: they paste one, and an encrypted cookie keeps it. `proxy`: an OIDC proxy before " +
        "the console forwards their token as `Authorization: Bearer`. With `token`, that header is ignored.",
    ),
  keyFile: z
    .string()
    .default("/etc/holdfast/console/key")
    .describe("With `token`: the file with the key of the cookies, 32 bytes in base64, out of the Secret."),
  hours: z.coerce
    .number()
    .min(1)
    .max(24)
    .default(12)
    .describe("With `token`: hours until people sign in again, unless their token ends before."),
  origin: z
    .string()
    .regex(/^(https?:\/\/[^/]+)?$/, "expected an address without a path, such as https://holdfast.example.com")
    .default("")
    .describe(
      "The address of the console as browsers see it, such as https://holdfast.example.com; empty: the one that is " +
        "asked for.",
    ),
  apiServer: z.string().default("").describe("The address of the API server. Empty: the pod's own cluster."),
  authority: z
    .string()
    .default("/etc/holdfast/kube-root-ca/ca.crt")
    .describe("The file with the certificate of the authority that signed the API server's, from kube-root-ca.crt."),
});
export type Settings = z.output<typeof settings>;

export const consoleFunction = {
  name: "platform/console",
  doc: "Shows people what is held and why, and lets them act, each with their own rights.",
  settings,
  // It acts as the user who asks, and has no rights of its own.
  permissions: [],
  anonymous: true,
  overlay: "console",
  mounts: ["console"],
  // Each open page holds a watch.
  concurrency: 500,
} satisfies FunctionDeclaration<typeof settings>;
