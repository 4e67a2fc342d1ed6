import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../manifests/kustomization.ts";

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The last line of text before it. */
  readonly intro: string;
}

/**
 * The fenced blocks of a page of the repository below one heading and the headings within that, in their order.
 *
 * @throws Error where there is none: a page that has changed its headings would otherwise be walked without a step.
 */
export function blocksBelow(page: string, heading: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { language: string; lines: string[]; indent: string } | undefined;
  let depth = 0;
  let intro = "";
  for (const line of readFileSync(join(root, page), "utf8").split("\n")) {
    const [, indent = "", fence] = /^( *)```(.*)$/.exec(line) ?? [];
    const [, marks = "", title] = (!open && /^(#+) (.*)$/.exec(line)) || [];
    if (fence === undefined && open) open.lines.push(line.slice(open.indent.length));
    else if (fence !== undefined && open) {
      if (depth > 0) blocks.push({ language: open.language, text: open.lines.join("\n"), intro });
      open = undefined;
    } else if (fence !== undefined) open = { language: fence, lines: [], indent };
    else if (title === heading) depth = marks.length;
    else if (marks && marks.length <= depth) depth = 0;
    else if (line.trim()) intro = line.trim();
  }
  if (blocks.length === 0) throw new Error(`${page} has no command below "${heading}".`);
  return blocks;
}

/**
 * What a reader does with these blocks, as a script: commands are run, and YAML is written to the file that its first
 * line names.
 *
 * @throws Error for a block that is neither.
 */
export function scriptOf(blocks: readonly Block[]): string {
  return blocks.map(stepOf).join("\n");
}

function stepOf({ language, text }: Block): string {
  if (language === "sh") return text;
  const [, file] = (language === "yaml" && /^# (\S+)\n/.exec(text)) || [];
  if (!file) throw new Error(`Neither a command nor a file with its name in the first line:\n${text}`);
  return `mkdir -p "$(dirname ${file})"\ncat > ${file} <<'END-OF-FILE'\n${text}\nEND-OF-FILE`;
}
