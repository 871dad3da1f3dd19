/** Bytes as quoted text on one line: nothing of them acts on a terminal. */
export function quote(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes)).replace(ACTING, escapeCharacter);
}

/** Control characters that JSON leaves as they are, and those that turn the direction of text. */
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeCharacter = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
