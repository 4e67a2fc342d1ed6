/** A name that a document uses, and what kind of thing it has to be. */
export interface NamedThing {
  readonly what: "annotation" | "variable" | "npm script" | "command" | "folder of knative" | "function" | "Event";
  readonly name: string;
}

const kinds: readonly (readonly [NamedThing["what"], RegExp])[] = [
  // `holdfast.dev/<system>.<rule>` is made by the kit, and `l2-lock.maintenance...` by Yaook.
  ["annotation", /(?<![\w.-])(holdfast\.dev\/[a-z][\w-]*\w)(?![\w.*<])/g],
  ["variable", /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g],
  ["npm script", /npm run (?:--silent )?([a-z][\w:-]*)/g],
  ["command", /(?:npm run (?:--silent )?holdfast --|`holdfast|kubectl holdfast|^holdfast) ([a-z][\w-]*)/gm],
  ["folder of knative", /(?:overlay|component|option)s? \[?`([a-z][\w/-]*)`/gi],
  ["function", /`((?:pvc-protection|pvc-retention|undelete|volume|satellite|eviction)\/(?!v\d)[a-z][\w-]*)`/g],
  ["Event", /\b(?:Events?|Warnings?) `([A-Z]\w+)`/g],
];

/** What a document names that a reader will look for, or type. */
export const namesIn = (text: string): readonly NamedThing[] =>
  kinds.flatMap(([what, form]) =>
    [...new Set([...text.matchAll(form)].map(([, name = ""]) => name))].map((name) => ({ what, name })),
  );
