/**
 * What the laptop edition says it is at `/version`: the release whose behaviour it follows, marked as no build of it.
 */
export const version = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.3+holdfast",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "",
  goVersion: "",
  compiler: "",
  platform: "holdfast",
};
