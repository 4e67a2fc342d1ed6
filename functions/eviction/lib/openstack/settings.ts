import { z } from "zod";
import { wholeNumber } from "../../../../shared/whole-number.ts";

const second = 1000;

/** The settings of a cloud as OpenStack's own clients name them: `osAuthUrl` is `OS_AUTH_URL`. */
export const settings = z.object({
  osCloud: z
    .string()
    .default("")
    .describe(
      "The entry of clouds.yaml in the Secret. Empty: the settings OS_* below, and the password in the Secret.",
    ),
  osAuthUrl: z
    .url({ protocol: /^https?$/ })
    .default("https://keystone.yaook.svc:5000/v3")
    .describe("Keystone's address, where OS_CLOUD is empty."),
  osUsername: z.string().default("admin").describe("The account."),
  osUserDomainName: z.string().default("Default").describe("The domain of the account."),
  osProjectName: z.string().default("admin").describe("A project in which the account has the role admin."),
  osProjectDomainName: z.string().default("Default").describe("The domain of the project."),
  osApplicationCredentialId: z
    .string()
    .default("")
    .describe("The id of an application credential, which is used instead of account and password."),
  osRegionName: z.string().default("").describe("The region of the endpoints. Empty: the only one that there is."),
  osInterface: z
    .string()
    .default("public")
    .describe("Which endpoints of the catalog are used: public, internal or admin."),
  openstackAllowHttp: z
    .enum(["true", "false"])
    .default("false")
    .describe("Whether http:// is taken for Keystone and the endpoints; passwords are sent in plain text then."),
  openstackTimeout: wholeNumber(second, 60 * second)
    .default(30 * second)
    .describe("Milliseconds in which OpenStack must answer."),
});
export type CloudSettings = z.output<typeof settings>;
