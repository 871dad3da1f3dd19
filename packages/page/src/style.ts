import css from "./style.css";

/** The colours of targets on a light page and on pictures, as CSS writes them: `LIGHT_PALETTE[target.colour]`. */
export const LIGHT_PALETTE: readonly string[] = [
  "#0072b2",
  "#d55e00",
  "#008a64",
  "#aa4499",
  "#8a7000",
  "#3d8fc4",
  "#57606a",
  "#b07900",
];

/** The same targets' colours on a dark page. */
const DARK_PALETTE: readonly string[] = [
  "#56b4e9",
  "#ff9a4d",
  "#3fcf9f",
  "#e28fd3",
  "#e6cf4a",
  "#9ecae1",
  "#c9d1d9",
  "#e69f00",
];

/** How many colours a page has for targets: those of `LIGHT_PALETTE`. */
export const COLOURS: number = LIGHT_PALETTE.length;

/** Writes the rule that names a palette's colours: `--t0`, `--t1` and so on. */
function rootRule(palette: readonly string[]): string {
  const declarations = palette.map((colour, index) => `  --t${index}: ${colour};\n`);
  return `:root {\n${declarations.join("")}}\n`;
}

/** Rules by which a mark, a line or a name of the class `c1` has the colour `--t1` by the name `--c`. */
const COLOUR_CLASSES = LIGHT_PALETTE.map((_, index) => `.c${index} {\n  --c: var(--t${index});\n}\n`);

/** The style sheet of every page, as text. */
export const STYLE: string = [
  css,
  rootRule(LIGHT_PALETTE),
  `@media screen and (prefers-color-scheme: dark) {\n${rootRule(DARK_PALETTE)}}\n`,
  ...COLOUR_CLASSES,
].join("");
