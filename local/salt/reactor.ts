import type { HttpRequest } from "../../shared/http-message.ts";
import type { JobReturned } from "./master.ts";

const name = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * What the reactor of `knative/salt/reactor/job-return.sls` posts to the broker when a job has returned: a CloudEvent
 * that names the Volume; `undefined` for a job that is no Volume's.
 */
export function reactTo({ jid, id, fun, retcode, metadata, _stamp }: JobReturned): HttpRequest | undefined {
  const known = isMap(metadata) ? metadata : {};
  const volume = fun.startsWith("metalk8s_volumes.") && known.volume;
  // It goes into a header: nothing but a name of Kubernetes may.
  if (typeof volume !== "string" || !name.test(volume)) return undefined;
  return {
    headers: {
      "content-type": "application/json",
      "ce-specversion": "1.0",
      "ce-type": "dev.holdfast.salt.job-returned",
      "ce-source": "/salt/master",
      "ce-id": `${jid}-${id}`,
      "ce-time": `${_stamp.replace("+00:00", "")}Z`,
      "ce-apiversion": "storage.metalk8s.scality.com/v1alpha1",
      "ce-kind": "Volume",
      "ce-name": volume,
    },
    body: JSON.stringify({ jid, minion: id, fun, retcode, metadata: known }),
  };
}

type Values = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);
