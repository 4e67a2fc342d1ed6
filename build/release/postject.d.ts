declare module "postject" {
  /** Puts a resource into a program, in its place. */
  export function inject(
    program: string,
    resource: string,
    content: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
