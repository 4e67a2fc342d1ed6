/** The part of Eleventy, and of its markdown-it, that the site is built with: they come without types. */
declare module "@11ty/eleventy" {
  export interface Token {
    readonly type: string;
    readonly content: string;
    readonly children: readonly Token[] | null;
    attrGet(name: string): string | null;
    attrSet(name: string, value: string): void;
  }

  export interface Markdown {
    set(options: { readonly html: boolean }): void;
    readonly core: {
      readonly ruler: {
        push(name: string, rule: (state: { readonly env: unknown; readonly tokens: readonly Token[] }) => void): void;
      };
    };
    readonly renderer: { readonly rules: Record<string, ((...all: readonly unknown[]) => string) | undefined> };
  }

  export interface EleventyPage {
    readonly inputPath: string;
    readonly outputPath: string;
  }

  export interface EleventyConfig {
    addTemplate(path: string, content: string, data: Readonly<Record<string, unknown>>): void;
    addPassthroughCopy(paths: Readonly<Record<string, string>>): void;
    amendLibrary(name: "md", amend: (library: Markdown) => void): void;
    addTransform(name: string, transform: (this: { readonly page: EleventyPage }, content: string) => string): void;
    setTemplateFormats(formats: readonly string[]): void;
    setUseGitIgnore(use: boolean): void;
  }

  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: {
        readonly quietMode?: boolean;
        readonly configPath?: string | null | undefined;
        readonly config?: (config: EleventyConfig) => object;
      },
    );
    write(): Promise<unknown>;
  }
}
