/** A name that a document uses, and what kind of thing it has to be. */
export interface NamedThing {
  readonly what:
    | "annotation"
    | "variable"
    | "npm script"
    | "command"
    | "folder of knative"
    | "function"
    | "Event"
    | "path"
    | "kustomization"
    | "flag";
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
  // From the root of the repository, or from a reader's own folder in it. What stands for a name ends the path.
  ["path", /(?<=^|[\s`"'(=])(?:\.\.?\/)*((?:knative|sources)(?:\/[a-z][\w-]*(?:\.[\w-]+)*)+)/gm],
  ["path", /(?<=`)((?:overlays|components|examples|access)(?:\/[a-z][\w-]*)+)(?=`)/g],
  ["kustomization", /(?:^|\s)-k (?:\.\/)?([\w./-]*[\w-])/gm],
];

/** What a document names that a reader will look for, or type. */
export const namesIn = (text: string): readonly NamedThing[] => [
  ...kinds.flatMap(([what, form]) =>
    [...new Set([...text.matchAll(form)].map(([, name = ""]) => name))].map((name) => ({ what, name })),
  ),
  ...[...new Set(commandLines(text).flatMap(flagsIn))].map((name) => ({ what: "flag", name }) as const),
];

/** The commands of a document, each in one line: those of its blocks, and what it quotes in its sentences. */
function commandLines(text: string): readonly string[] {
  const fence = /^ *```.*\n([\s\S]*?)^ *```/gm;
  const blocks = [...text.matchAll(fence)].map(([, block = ""]) => block.replaceAll(/\\\n\s*/g, " "));
  const quoted = [...text.replaceAll(fence, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) =>
    code.replaceAll(/\s*\n\s*/g, " "),
  );
  return [...blocks, ...quoted].flatMap((code) => code.split(/\n|[;|]|&&|\s#/));
}

/**
 * The flags of a command line, each behind the command that has to know it: `holdfast status --output`, or
 * `npm run resolve --check`.
 */
function flagsIn(line: string): readonly string[] {
  const ours = /(?:^\s*(?:\.\/|kubectl )?holdfast|npm run (?:--silent )?holdfast --) ([a-z][\w-]*)(.*)$/.exec(line);
  const script = /npm (?:run (?:--silent )?)?(?!holdfast)([a-z][\w:-]*) --( .*)$/.exec(line);
  const [command, rest = ""] = ours ? [`holdfast ${ours[1]}`, ours[2]] : script ? [`npm ${script[1]}`, script[2]] : [];
  if (command === undefined) return [];
  // What follows a second `--` is for the program that the command runs.
  const [own = ""] = rest.split(/ --(?: |$)/);
  return [...own.matchAll(/(?<=[\s[(])(--[a-z][\w-]*|-[a-z])(?![\w-])/g)].map(([, flag]) => `${command} ${flag}`);
}
