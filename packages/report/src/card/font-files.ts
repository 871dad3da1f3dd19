/** What every card is drawn with. */
export const FIRST_SCRIPT = "latin";
/** Names of cases and targets can be in any script; these are loaded when a letter of them is met. */
export const OTHER_SCRIPTS = ["latin-ext", "greek", "cyrillic", "vietnamese"];

const WEIGHTS = [400, 600] as const;

/** One file of the font. */
export interface FontFile {
  readonly script: string;
  readonly weight: (typeof WEIGHTS)[number];
  readonly file: string;
}

/** The files of some scripts, in every weight that a card has. */
export function fontFiles(
  scripts: readonly string[] = [FIRST_SCRIPT, ...OTHER_SCRIPTS],
): readonly FontFile[] {
  return scripts.flatMap((script) =>
    WEIGHTS.map((weight) => ({ script, weight, file: `inter-${script}-${weight}-normal.woff` })),
  );
}
