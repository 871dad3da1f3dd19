import { renderHtml } from "../html/page.ts";
import { REPORT_FILE } from "../names.ts";
import type { Exporter } from "./exporter.ts";

// The only file outside of html/ that imports from it: whoever wants the page takes it from here.
export { renderHtml };

/** The page: one HTML file that loads nothing. */
export const page: Exporter = {
  file: REPORT_FILE,
  render: ({ data }) => renderHtml(data),
};
