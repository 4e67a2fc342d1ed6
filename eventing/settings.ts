import * as z from "zod";

/** What the process reads from its environment, beside `PORT` and `LOG_LEVEL`. */
export const standaloneSettings = z.object({
  eventing: z
    .string()
    .min(1)
    .default("/etc/holdfast/eventing")
    .describe("The folder with the sources, brokers and Triggers that are to be obeyed, as YAML."),
  ingress: z
    .string()
    .regex(/^https?:\/\/[^/]+$/, "expected a URL without a path")
    .default("http://platform-source.holdfast.svc")
    .describe("Where this process is reached: the root of its brokers' addresses."),
});
