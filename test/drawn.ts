/**
 * From what everything is drawn that differs from run to run: a whole number below 1,000,000,000. `SEED` names one that
 * was drawn before.
 */
export const drawn = Number(process.env.SEED || Math.floor(Math.random() * 1_000_000_000));
