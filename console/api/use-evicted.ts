import * as kinds from "../../functions/eviction/lib/kinds.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Objects, useList } from "./use-list.ts";

/** All that leaves a host of OpenStack: compute nodes first, then agents. */
export const useEvicted = <O extends KubernetesObject>(): readonly [Objects<O>, ...(readonly Objects<O>[])] => [
  useList<O>(kinds.NovaComputeNode),
  useList<O>(kinds.NeutronL3Agent),
  useList<O>(kinds.NeutronDHCPAgent),
  useList<O>(kinds.NeutronBGPDRAgent),
  useList<O>(kinds.NeutronOVNBGPAgent),
  useList<O>(kinds.NeutronL2Agent),
  useList<O>(kinds.NeutronOVNAgent),
];
