/** The pages of the console, and one of an object. */
export const paths = [
  "/",
  "/volumes",
  "/claims",
  "/claims?tab=sets",
  "/kept",
  "/satellites",
  "/eviction",
  "/object/Volume/_/failed",
];
