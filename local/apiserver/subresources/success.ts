/** A Status that says that all went well. */
export const success = (more: Record<string, unknown> = {}) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...more,
});
