// Names of the files of a run's report, in the run's folder.

/** Name of the page of a run's report. */
export const REPORT_FILE = "report.html";
/** Name of the picture of a run's report. */
export const CARD_FILE = "card.png";
/** Name of the Markdown of a run's report. */
export const MARKDOWN_FILE = "report.md";
