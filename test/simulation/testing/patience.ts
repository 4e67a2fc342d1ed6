/** How long a test of the simulation may take (milliseconds): a machine may be busy. */
export const patience = { timeout: 300_000 };
