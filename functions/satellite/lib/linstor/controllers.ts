import { SystemError } from "../../../../shared/system/system-error.ts";
import { externalRoot } from "./address.ts";
import type { Linstor } from "./client.ts";

/**
 * The LINSTORs that satellites belong to. There is no way to ask or call one without saying whose it is: what one
 * LINSTOR says of a node must never be taken for the truth about the node of the same name in another.
 */
export interface LinstorControllers {
  /**
   * The LINSTOR at `url`, which is `spec.externalController.url` of a LinstorCluster; `undefined` is the one at
   * LINSTOR_URL. Opens nothing.
   *
   * @throws SystemError `refused` where that is no address.
   */
  at(url: string | undefined): Linstor;
}

/**
 * @param own the client of the LINSTOR at LINSTOR_URL
 * @param clientOf makes that of another root, once for each
 */
export function linstorControllers(own: Linstor, clientOf: (root: string) => Linstor): LinstorControllers {
  const others = new Map<string, Linstor>();
  return {
    at(url) {
      if (url === undefined) return own;
      const root = externalRoot(url);
      if (!root)
        throw new SystemError("LINSTOR", "refused", "spec.externalController.url of its LinstorCluster is no address.");
      if (root === own.url) return own;
      const client = others.get(root) ?? clientOf(root);
      others.set(root, client);
      return client;
    },
  };
}
