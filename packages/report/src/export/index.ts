import { cardDrawing, cardPicture } from "./card.ts";
import { csv } from "./csv.ts";
import type { Exporter } from "./exporter.ts";
import { detailsJson, factsJson, json } from "./json.ts";
import { markdown } from "./markdown.ts";
import { page } from "./page.ts";
import { terminal } from "./terminal.ts";

/** Every form of a run's report, in the order in which they are written. */
export const EXPORTERS: readonly Exporter[] = [
  factsJson,
  detailsJson,
  page,
  markdown,
  json,
  csv,
  cardPicture,
  cardDrawing,
  terminal,
];
