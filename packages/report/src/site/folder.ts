// The folder of a gallery: what belongs in it, and what of it may be written over or removed.
import { lstatSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { systemReason } from "@evenbench/core/user-file";
import {
  FACTS_FILE,
  isUnfinished,
  makeResultsFolder,
  RUN_FILE,
  readRegular,
  removeUnfinished,
  writeWhole,
} from "@evenbench/results";
import { CARD_FILE, REPORT_FILE } from "../media/files.ts";

/** Name of the folder of runs in a gallery. */
export const RUNS_FOLDER = "runs";
/** Name of the folder of cases' pages in a gallery. */
export const CASES_FOLDER = "case";
/** Name of a gallery's first page. */
export const INDEX_FILE = "index.html";
/** Name of a gallery's page of all runs. */
export const ARCHIVE_FILE = "archive.html";
/** Name of a gallery's table of what stands now, for spreadsheets. */
export const STANDING_FILE = "standing.csv";

/** Name of the file that shows that a folder is a gallery. It is not hidden: uploads leave hidden files out. */
const MARK_FILE = "evenbench-gallery.txt";
const MARK_TEXT = "Evenbench writes over the pages in this folder. Keep nothing else in it.\n";

/**
 * Pattern of the name of a run or a case: files and folders are named by it, and systems allow 255 letters.
 */
export const SAFE_NAME = /^\w[\w-]{0,127}$/;

/** Names of the files in the gallery's folder itself. */
const PAGE_FILES: readonly string[] = [INDEX_FILE, ARCHIVE_FILE, STANDING_FILE];
/** Name of a file that file managers leave anywhere. */
const LEFT_BY_SYSTEM = ".DS_Store";
/** Names of files that hosts of static pages ask for, and that are no pages. */
const OF_HOSTS: readonly string[] = ["CNAME", "robots.txt"];
/** Names of files of Git and of hosts that publish from it. Hosts send other hidden files as they send a page. */
const HIDDEN_FILES: readonly string[] = [
  ".git",
  ".gitattributes",
  ".github",
  ".gitignore",
  ".nojekyll",
  LEFT_BY_SYSTEM,
];
/** Names of the files that are made of a run's numbers, anew each time. */
const SHOWN_FILES: readonly string[] = [REPORT_FILE, CARD_FILE];
/** Names of the files in a run's folder. */
const OF_RUN: readonly string[] = [RUN_FILE, FACTS_FILE, ...SHOWN_FILES];

interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

/** Lists a folder; empty where there is none. @throws {UserError} where it cannot be read. */
async function entriesOf(folder: string): Promise<readonly FolderEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return [];
    }
    throw new UserError(`${folder} cannot be read (${systemReason(error)}). Give another folder.`);
  });
  return entries.map((entry): FolderEntry => {
    if (entry.isFile()) {
      return { name: entry.name, kind: "file" };
    }
    return { name: entry.name, kind: entry.isDirectory() ? "folder" : "other" };
  });
}

/** Gives the name of the page that a file is, or is to become: all that follows ".html" is cut off. */
function pageOf(file: string): string {
  return file.replace(/\.html\..*$/, ".html");
}

function isHidden({ name, kind }: FolderEntry): boolean {
  return kind !== "other" && HIDDEN_FILES.includes(name);
}

/** Tells whether an entry is the page of a case, or one that was not finished. */
function isPageOfCase({ name, kind }: FolderEntry): boolean {
  const page = pageOf(name);
  const isNamed = page.endsWith(".html") && SAFE_NAME.test(page.slice(0, -".html".length));
  return kind === "file" && isNamed && (page === name || isUnfinished(name, [page]));
}

/** Tells whether an entry is one of some files, finished or not, or was left by the system. */
function isFileOf(names: readonly string[], { name, kind }: FolderEntry): boolean {
  return kind === "file" && (names.includes(name) || name === LEFT_BY_SYSTEM || isUnfinished(name, names));
}

/** Finds the first thing in a gallery's folder that no gallery has, by its path in there; null where there is none. */
async function strangerIn(gallery: string): Promise<string | null> {
  for (const entry of await entriesOf(gallery)) {
    const isPlace = entry.kind === "folder" && [RUNS_FOLDER, CASES_FOLDER].includes(entry.name);
    if (!isPlace && !isHidden(entry) && !isFileOf([...PAGE_FILES, ...OF_HOSTS, MARK_FILE], entry)) {
      return entry.name;
    }
  }
  for (const entry of await entriesOf(join(gallery, CASES_FOLDER))) {
    if (!isPageOfCase(entry) && !isFileOf([], entry)) {
      return `${CASES_FOLDER}/${entry.name}`;
    }
  }
  for (const entry of await entriesOf(join(gallery, RUNS_FOLDER))) {
    if (entry.name === LEFT_BY_SYSTEM) {
      continue;
    }
    if (entry.kind !== "folder" || !SAFE_NAME.test(entry.name)) {
      return `${RUNS_FOLDER}/${entry.name}`;
    }
    for (const file of await entriesOf(join(gallery, RUNS_FOLDER, entry.name))) {
      if (!isFileOf(OF_RUN, file)) {
        return `${RUNS_FOLDER}/${entry.name}/${file.name}`;
      }
    }
  }
  return null;
}

/**
 * Refuses a folder that cannot become a gallery.
 *
 * @throws {UserError} when the folder is neither new, nor empty, nor a gallery with nothing else in it.
 */
export async function assertGallery(out: string): Promise<void> {
  const entries = await entriesOf(out);
  const other = entries.find((entry) => !isHidden(entry));
  const mark = await readRegular(join(out, MARK_FILE)).catch(() => null);
  if (mark !== MARK_TEXT) {
    if (other === undefined) {
      return;
    }
    throw new UserError(
      `${out} is not a gallery (${other.name}). Give a new folder, or a gallery that was made earlier.`,
    );
  }
  const stranger = await strangerIn(out);
  if (stranger === null) {
    return;
  }
  const isLink = lstatSync(join(out, stranger), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  throw new UserError(
    `${out} has ${stranger}, which ${isLink ? "is a symbolic link" : "no gallery has"}. Remove it, or give a new folder.`,
  );
}

/** Makes the folders of a gallery, marks it, and removes what a gallery that was interrupted left behind. */
export async function prepareGallery(out: string): Promise<void> {
  for (const folder of [out, join(out, RUNS_FOLDER), join(out, CASES_FOLDER)]) {
    await makeResultsFolder(folder);
  }
  await writeWhole(join(out, MARK_FILE), MARK_TEXT);
  await removeUnfinished(out, [...PAGE_FILES, MARK_FILE]);
  const pages = (await entriesOf(join(out, CASES_FOLDER))).map(({ name }) => pageOf(name));
  await removeUnfinished(join(out, CASES_FOLDER), pages);
  for (const { name } of await entriesOf(join(out, RUNS_FOLDER))) {
    if (name !== LEFT_BY_SYSTEM) {
      await removeUnfinished(join(out, RUNS_FOLDER, name), OF_RUN);
    }
  }
}

/** Removes pages of cases, and reports and pictures of runs, that are no longer shown. */
export async function removeOthers(
  out: string,
  casePages: readonly string[],
  runs: readonly string[],
): Promise<void> {
  for (const entry of await entriesOf(join(out, CASES_FOLDER))) {
    const isWhole = pageOf(entry.name) === entry.name;
    const isStale = isPageOfCase(entry) && isWhole && !casePages.includes(`${CASES_FOLDER}/${entry.name}`);
    if (isStale) {
      await rm(join(out, CASES_FOLDER, entry.name), { force: true });
    }
  }
  for (const { name, kind } of await entriesOf(join(out, RUNS_FOLDER))) {
    if (kind !== "folder" || runs.includes(name)) {
      continue;
    }
    for (const file of SHOWN_FILES) {
      await rm(join(out, RUNS_FOLDER, name, file), { force: true });
    }
  }
}
