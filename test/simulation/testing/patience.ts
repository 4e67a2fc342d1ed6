/** How long a test of the simulation may take (milliseconds): it may run beside other suites, at lowest priority. */
export const patience = { timeout: 1_800_000 };
