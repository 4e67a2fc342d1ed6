export function watchInvariants() {
  return { async check() {} };
}
