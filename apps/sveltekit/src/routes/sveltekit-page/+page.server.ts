import { describeRendering } from "@evenbench/bundle/framework";
import { computePage, type PageData } from "@evenbench/complex-page";
import { volatile } from "@evenbench/core";
import { builtFor } from "../../lib/server/respond.ts";

/** The data of the page. */
export interface PageContent {
  readonly marker: string;
  /** The computed page, whose time stamps are marked. */
  readonly page: PageData;
}

/** Computes the page. Time stamps are marked here: they stand in the page and in its serialised data. */
export function load(): PageContent {
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
