import { z } from "zod";

/** What all copies of a volume have in common. */
export const resourceDefinition = z
  .object({
    name: z.string(),
    resource_group_name: z.string().optional(),
    props: z.record(z.string(), z.string()).default({}),
    flags: z.array(z.string()).default([]),
  })
  .transform(({ resource_group_name, ...rest }) => ({ ...rest, group: resource_group_name }));

export type ResourceDefinition = z.output<typeof resourceDefinition>;

/** How the volumes of a group are placed. */
export const resourceGroup = z
  .object({
    name: z.string(),
    props: z.record(z.string(), z.string()).default({}),
    select_filter: z.object({ place_count: z.number().optional() }).optional(),
  })
  .transform(({ select_filter, ...rest }) => ({ ...rest, placeCount: select_filter?.place_count }));

export type ResourceGroup = z.output<typeof resourceGroup>;
