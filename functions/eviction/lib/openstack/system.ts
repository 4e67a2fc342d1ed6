import { exchangeWith } from "../../../../shared/system/exchange.ts";
import { system } from "../../../../shared/system/system.ts";
import { checkedUrl, readCloud, settings } from "./cloud.ts";
import { type Ironic, ironicClient } from "./ironic.ts";
import { type Neutron, neutronClient } from "./neutron.ts";
import { type Nova, novaClient } from "./nova.ts";
import { openSession } from "./session.ts";

/** The services of a cloud that evictions need. */
export type OpenStack = Readonly<{ nova: Nova; neutron: Neutron; ironic: Ironic }>;

/** OpenStack, by the settings and the `clouds.yaml` of its own clients. */
export const openstack = system({
  name: "openstack",
  doc:
    "OpenStack (Nova 2.53 or newer, and Neutron) is asked what is on a host, to move that to other hosts, and to " +
    "disable its agents; Ironic is asked to turn off a host that is down. The account needs the role admin in its " +
    "project.",
  url: "osAuthUrl",
  settings,
  credentials: {
    "clouds.yaml": { doc: "The clouds.yaml of OpenStack's own clients; OS_CLOUD names the entry.", optional: true },
    password: { doc: "The password of the account, where OS_CLOUD is empty.", optional: true },
    "application-credential-secret": {
      doc: "The secret of the application credential, where OS_APPLICATION_CREDENTIAL_ID is set.",
      optional: true,
    },
    "ca.crt": {
      doc: "The authority that certified OpenStack's endpoints; not needed for a public one.",
      optional: true,
    },
  },
  namedBy: "the catalog",
  ports: [443, 5000, 6385, 8774, 9696],
  onlyReads: ({ method, path }) => method === "POST" && path.endsWith("/auth/tokens"),
  connect({ transportTo, clock, settings, credential }): OpenStack {
    const exchangeTo = (root: string, what: string) =>
      exchangeWith("OpenStack", transportTo(checkedUrl(root, what, settings)), clock, settings.openstackTimeout, root);
    const { send, now } = openSession(exchangeTo, () => readCloud(settings, credential), clock);
    return { nova: novaClient(send, now), neutron: neutronClient(send), ironic: ironicClient(send) };
  },
});
