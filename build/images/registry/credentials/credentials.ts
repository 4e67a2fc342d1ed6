/** A login to a registry. `origin` says where it was found. */
export type Credentials =
  | { readonly user: string; readonly password: string; readonly origin: string }
  | { readonly identityToken: string; readonly origin: string };
