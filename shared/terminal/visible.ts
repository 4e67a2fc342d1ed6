/**
 * Characters that a terminal obeys instead of showing them (ESC, BEL, carriage return, those of C1), and those without
 * a width that reorder or hide text. A line's end and a tab do no harm.
 */
const obeyed = /[^\P{Cc}\n\t]|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * A text from outside, such as an annotation or another system's error, that a terminal only shows: `\u001b` stands for
 * the character itself. An escape instead of U+FFFD, because the reader has to see which character was written there;
 * inside a string of JSON, and inside double quotes of YAML, it still means that character.
 */
export const visible = (text: string): string =>
  text.replaceAll(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
