import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** An authority of one's own, and what it has certified for 127.0.0.1. */
export interface Certified {
  /** The authority's certificate, as a file. */
  readonly authorityFile: string;
  readonly key: string;
  readonly cert: string;
}

/** Makes both with openssl, in a folder that is there. */
export function certify(folder: string): Certified {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const ca = ["-subj", "/CN=Authority of a test", "-days", "2", "-addext", "basicConstraints=critical,CA:TRUE"];
  openssl("req", "-x509", ...key, "-keyout", file("ca.key"), "-out", file("ca.crt"), ...ca);
  openssl("req", ...key, "-keyout", file("key"), "-out", file("csr"), "-subj", "/CN=salt-master");
  writeFileSync(file("extensions"), "subjectAltName=IP:127.0.0.1\n");
  const by = ["-CA", file("ca.crt"), "-CAkey", file("ca.key"), "-CAcreateserial", "-days", "2"];
  openssl("x509", "-req", "-in", file("csr"), ...by, "-extfile", file("extensions"), "-out", file("cert"));
  return {
    authorityFile: file("ca.crt"),
    key: readFileSync(file("key"), "utf8"),
    cert: readFileSync(file("cert"), "utf8"),
  };
}
