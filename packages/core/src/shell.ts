const PLAIN_WORD = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** Characters that cannot be seen, or that act upon a terminal. */
const NOT_VISIBLE = /[\p{C}\u2028\u2029]/u;

/** Characters that a quoted word writes as octal numbers: those that cannot be seen, and "!", which shells expand. */
const NOT_PRINTABLE = /[\p{C}\u2028\u2029!]/gu;

const encoder = new TextEncoder();

/** Quotes a text for bash and zsh: it stays one word, and nothing in it is carried out. */
export function shellWord(word: string): string {
  if (PLAIN_WORD.test(word)) {
    return word;
  }
  if (!NOT_VISIBLE.test(word)) {
    return `'${word.replaceAll("'", "'\\''")}'`;
  }
  return `$'${word.replace(/[\\']/g, "\\$&").replace(NOT_PRINTABLE, octalBytes)}'`;
}

/** Writes an option with its value for a shell, joined by "=" where the value begins with "-". */
export function shellOption(name: string, value: string): string {
  const separator = value.startsWith("-") ? "=" : " ";
  return name + separator + shellWord(value);
}

function octalBytes(character: string): string {
  return [...encoder.encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
