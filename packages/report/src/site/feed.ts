import { html } from "@evenbench/page";
import { REPORT_FILE } from "../names.ts";
import { ARCHIVE_FILE, RUNS_FOLDER } from "./folder.ts";
import type { GalleryRun } from "./histories.ts";

/** Newest runs that a feed has: readers keep what they have seen. */
const MOST_ITEMS = 30;

/**
 * Writes the newest runs of a gallery as RSS 2.0, an item for each.
 *
 * @param base where the gallery is published, with a slash at its end: items need whole addresses.
 */
export function feedOf(newestFirst: readonly GalleryRun[], base: string): string {
  const items = newestFirst.slice(0, MOST_ITEMS).map(({ run, summary, name, hasReport }) => {
    const page = hasReport ? `${RUNS_FOLDER}/${name}/${REPORT_FILE}` : ARCHIVE_FILE;
    const date = new Date(run.startedAt);
    const title = summary.answer ?? "Nothing was compared.";
    return html`<item><title>${title}</title><link>${base}${page}</link><guid isPermaLink="false">${name}</guid><pubDate>${date.toUTCString()}</pubDate><description>${summary.place}. ${title}</description></item>
`;
  });
  return html`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>Evenbench</title><link>${base}</link><description>Runs of Evenbench, the newest first</description>
${items}</channel></rss>
`.text;
}
