import { page as drawPage } from "../media/page/page.ts";
import { REPORT_FILE } from "../names.ts";
import type { Exporter } from "./exporter.ts";

/** The page: one HTML file that loads nothing. */
export const page: Exporter = {
  file: REPORT_FILE,
  render: ({ facts, details }) => drawPage(facts, details),
};
