import { SUMMARY_FILE } from "@evenbench/results";
import type { Exporter } from "./exporter.ts";

/** The numbers, for programs: docs/schema/summary.schema.json says what is in it. */
export const json: Exporter = {
  file: SUMMARY_FILE,
  render: ({ summary }) => `${JSON.stringify(summary, null, 2)}\n`,
};
