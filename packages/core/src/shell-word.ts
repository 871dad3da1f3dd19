/** What cannot be seen, or acts upon a terminal where it is pasted; and "!", which shells expand within it. */
const UNSEEN = /[\p{C}\u2028\u2029!]/gu;

/**
 * A word as it is typed into a shell (bash, zsh): it stays one word, nothing in it is carried out, and what
 * cannot be seen is written as its bytes.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  if (!/[\p{C}\u2028\u2029]/u.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const octal = (character: string) =>
    [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return `$'${word.replace(/[\\']/g, "\\$&").replace(UNSEEN, octal)}'`;
}

/** An option with its value, which begins no option of its own. */
export function shellOption(name: string, value: string): string {
  return `${name}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`;
}
