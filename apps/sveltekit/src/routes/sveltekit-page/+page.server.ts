import { describeRendering } from "@evenbench/bundle/framework";
import { computePage } from "@evenbench/complex-page";
import { volatile } from "@evenbench/core";
import { builtFor } from "../../lib/server/respond.ts";

/** The data of the page, as `load` gives it. */
export type PageContent = ReturnType<typeof load>;

/** Time stamps are marked here: they stand in the page and in its serialised data. */
export function load() {
  const page = computePage();
  const sections = page.sections.map((section) => ({
    ...section,
    items: section.items.map((item) => ({ ...item, timestamp: volatile(item.timestamp) })),
  }));
  return {
    marker: describeRendering(builtFor),
    page: { ...page, sections, renderedAt: volatile(page.renderedAt) },
  };
}
