import { parse } from "yaml";
import { z } from "zod";
import { wholeNumber } from "../../../../shared/whole-number.ts";
import { failed } from "./answer.ts";

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
  osRegionName: z.string().default("").describe("The region of the endpoints. Empty: the only region."),
  osInterface: z
    .string()
    .default("public")
    .describe("Which endpoints of the catalog are used: public, internal or admin."),
  openstackAllowHttp: z
    .enum(["true", "false"])
    .default("false")
    .describe("Whether http:// is allowed for Keystone and the endpoints. Passwords are then sent in plain text."),
  openstackTimeout: wholeNumber(second, 60 * second)
    .default(30 * second)
    .describe("Milliseconds in which OpenStack must answer."),
});
export type CloudSettings = z.output<typeof settings>;

/** Who logs in to which cloud, and which of its endpoints are used. */
export interface Cloud {
  /** Keystone's root with `/v3`, without a slash at its end. */
  readonly authUrl: string;
  /** The `auth` of Keystone's `POST /v3/auth/tokens`. */
  readonly auth: object;
  readonly region: string | undefined;
  readonly interface: string;
}

export type ReadCredential = (name: string) => Promise<string | undefined>;

const text = z.coerce.string();
const entry = z.looseObject({
  auth_type: text.optional(),
  auth: z.object({ auth_url: text }).catchall(text.optional()),
  region_name: text.optional(),
  interface: text.optional(),
  endpoint_type: text.optional(),
  verify: z.boolean().optional(),
});
const cloudsFile = z.looseObject({ clouds: z.record(z.string(), entry) });
type Entry = z.output<typeof entry>;

const secret = "the Secret holdfast-openstack";

/**
 * Reads which cloud is meant, each time again because Secrets are renewed in place: the entry OS_CLOUD of
 * `clouds.yaml`, or the settings OS_* where OS_CLOUD is empty.
 *
 * @throws SystemError `unauthorized` where something is missing, `refused` where it cannot be used.
 */
export async function readCloud(settings: CloudSettings, credential: ReadCredential): Promise<Cloud> {
  const cloud = settings.osCloud
    ? entryOf(settings.osCloud, await credential("clouds.yaml"))
    : entryOfSettings(settings, await credential("password"), await credential("application-credential-secret"));
  if (cloud.verify === false)
    throw refused(`clouds.yaml says verify: false. Remove that, and put the authority's ca.crt into ${secret}.`);
  const authUrl = checkedUrl(cloud.auth.auth_url, "OpenStack's auth_url", settings).replace(/\/v3$/, "");
  return {
    authUrl: `${authUrl}/v3`,
    auth: authOf(cloud),
    region: cloud.region_name || undefined,
    interface: (cloud.interface ?? cloud.endpoint_type ?? "public").replace(/URL$/, ""),
  };
}

/**
 * An http or https URL without a slash at its end.
 *
 * @throws SystemError `refused` for another one, and for http unless OPENSTACK_ALLOW_HTTP says so: the password and the
 *   token would be sent for everyone to read.
 */
export function checkedUrl(url: string, what: string, { openstackAllowHttp }: CloudSettings): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: "" };
  if (protocol === "http:" && openstackAllowHttp === "false")
    throw refused(`${what} is ${url}, without TLS. Correct it to https, or set OPENSTACK_ALLOW_HTTP to true.`);
  if (!["http:", "https:"].includes(protocol)) throw refused(`${what} is ${JSON.stringify(url)}, which is no URL.`);
  return url.replace(/\/+$/, "");
}

function entryOf(name: string, file: string | undefined): Entry {
  if (!file) throw unauthorized(`OS_CLOUD is ${name}, but there is no clouds.yaml. Put it into ${secret}.`);
  let content: unknown;
  try {
    content = parse(file);
  } catch {
    // The parser's message would show the line, which may be the password's.
    throw unauthorized(`The clouds.yaml in ${secret} is no YAML. Correct it.`);
  }
  const parsed = cloudsFile.safeParse(content);
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.join(".") ?? "";
    throw unauthorized(`The clouds.yaml in ${secret} cannot be used: ${at} is missing or wrong. Correct it.`);
  }
  const found = parsed.data.clouds[name];
  if (!found) throw unauthorized(`The clouds.yaml in ${secret} has no cloud ${name}. Correct it, or OS_CLOUD.`);
  return found;
}

function entryOfSettings(settings: CloudSettings, password?: string, applicationSecret?: string): Entry {
  return {
    auth: {
      auth_url: settings.osAuthUrl,
      username: settings.osUsername,
      password,
      user_domain_name: settings.osUserDomainName,
      project_name: settings.osProjectName,
      project_domain_name: settings.osProjectDomainName,
      application_credential_id: settings.osApplicationCredentialId,
      application_credential_secret: applicationSecret,
    },
    region_name: settings.osRegionName,
    interface: settings.osInterface,
  };
}

function authOf({ auth, auth_type: type = "" }: Entry): object {
  if (!/^(v3)?(password|applicationcredential)?$/.test(type))
    throw refused(`clouds.yaml says auth_type: ${type}. Use password, or v3applicationcredential.`);
  const { application_credential_id: id, application_credential_secret: applicationSecret } = auth;
  if (id || /applicationcredential/.test(type)) {
    if (!id || !applicationSecret)
      throw unauthorized(
        `The application credential is not complete. Put application_credential_id and application_credential_secret ` +
          `into clouds.yaml, or set OS_APPLICATION_CREDENTIAL_ID and put application-credential-secret into ${secret}.`,
      );
    // No scope: an application credential is of one project.
    return {
      identity: { methods: ["application_credential"], application_credential: { id, secret: applicationSecret } },
    };
  }
  const { username, password } = auth;
  if (!username || !password)
    throw unauthorized(`There is no password to log in to OpenStack with. Put clouds.yaml or password into ${secret}.`);
  const domainOf = (id: string | undefined, name = "Default") => (id ? { id } : { name });
  const userDomain = domainOf(auth.user_domain_id, auth.user_domain_name);
  const domain = domainOf(auth.project_domain_id, auth.project_domain_name ?? auth.user_domain_name);
  const project = auth.project_id ? { id: auth.project_id } : { name: auth.project_name ?? "", domain };
  return {
    identity: { methods: ["password"], password: { user: { name: username, domain: userDomain, password } } },
    scope: { project },
  };
}

const refused = (message: string) => failed("refused", message);
const unauthorized = (message: string) => failed("unauthorized", message);
