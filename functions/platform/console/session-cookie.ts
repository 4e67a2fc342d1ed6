import { readFile } from "node:fs/promises";
import { SettingsError } from "../../../shared/settings.ts";

/**
 * A token as the value of a cookie, which only holders of the key can read: every instance has it, none has sessions.
 *
 * @param expires milliseconds since 1970
 */
export async function seal(token: string, expires: number, key: Uint8Array): Promise<string> {
  const { EncryptJWT } = await import("jose");
  const jwt = new EncryptJWT({ token }).setProtectedHeader({ alg: "dir", enc: "A256GCM" });
  return jwt.setExpirationTime(new Date(expires)).encrypt(key);
}

/** The token in the value of a cookie; `undefined` when it has ended, or was made with another key or by others. */
export async function unseal(value: string, key: Uint8Array): Promise<string | undefined> {
  const { jwtDecrypt } = await import("jose");
  const allowed = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] };
  const opened = await jwtDecrypt(value, key, { ...allowed, requiredClaims: ["exp"] }).catch(() => undefined);
  const token = opened?.payload.token;
  return typeof token === "string" ? token : undefined;
}

/** When a token says that it ends, in milliseconds since 1970; `Infinity` when it does not say. */
export async function endOf(token: string): Promise<number> {
  const { decodeJwt } = await import("jose");
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? Number.POSITIVE_INFINITY : exp * 1000;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Reads the key of the cookies, each time: a Secret may be there later than the function, and be replaced.
 *
 * @throws SettingsError that says how to make one
 */
export async function readKey(file: string): Promise<Uint8Array> {
  const text = await readFile(file, "utf8").catch((cause: Error) => {
    throw new SettingsError(`The key of the session cookies cannot be read: ${cause.message}. ${advice()}`, { cause });
  });
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== 32)
    throw new SettingsError(`The key of the session cookies is not 32 bytes in base64. ${advice()}`);
  return key;
}

// The console has no token of its own, which would name its namespace.
const advice = () =>
  "Make the Secret in the namespace of the console: `kubectl create secret generic holdfast-console -n holdfast " +
  '--from-literal=key="$(openssl rand -base64 32)"`';
