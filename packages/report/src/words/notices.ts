// A notice in one line, and where it holds.
import { counted, listed } from "@evenbench/page";
import type { Facts, Found, Notice } from "../facts/facts.ts";
import { type Amount, CATALOGUE, type CatalogueEntry, REMARKS } from "./catalogue.ts";
import { caseNoun, targetOf } from "./columns.ts";
import { loadWords } from "./loads.ts";

/** Stands before a notice of what has no result. */
export const VOID_SIGN = "✕";

/** Gives what the catalogue says of a code; the words of the code for one of another version, which it does not know. */
export function entryOf(code: string): CatalogueEntry {
  const known: Readonly<Record<string, CatalogueEntry>> = { ...REMARKS, ...CATALOGUE };
  return known[code] ?? { title: titleOf(code), remedy: "", amounts: [] };
}

/** Writes a code as a title: "Small differences". */
function titleOf(code: string): string {
  return `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll("-", " ")}`;
}

const LONGEST_QUOTE = 120;

/**
 * Writes a notice in one line without a full stop, with its worst place: "Requests failed (next-page, vercel): 12 of 340
 * requests".
 */
export function noticeLine(facts: Facts, { code, found }: Pick<Notice, "code" | "found">): string {
  const { title, amounts } = entryOf(code);
  const worst = amounts.flatMap((amount) => worstBy(amount, found))[0] ?? found[0];
  const quote = worst?.quote ?? null;
  const where = whereWords(facts, found);
  const said = [
    loadWords(worst?.load ?? null),
    ...amountWords(amounts, worst).slice(0, 1),
    differingWords(found),
    quote === null ? "" : `"${shortened(quote)}"`,
  ]
    .filter((words) => words !== "")
    .join(", ");
  return `${title}${where === "" ? "" : ` (${where})`}${said === "" ? "" : `: ${said}`}`;
}

/** Lists the places that have an amount, the worst first. */
function worstBy({ numbers: [name = ""] }: Amount, found: readonly Found[]): readonly Found[] {
  const size = ({ numbers }: Found) => numbers[name] ?? 0;
  return found.filter(({ numbers }) => name in numbers).sort((a, b) => size(b) - size(a));
}

function amountWords(amounts: readonly Amount[], place: Found | undefined): readonly string[] {
  const numbers = place?.numbers ?? {};
  const known = amounts.filter((amount) => amount.numbers.every((name) => name in numbers));
  return known.map(({ says }) => says(numbers));
}

/** Writes one place of a notice, for a list below its title: "next-page, Vercel's adapter: 12 of 340 requests". */
export function placeLine(facts: Facts, code: string, place: Found): string {
  const said = [
    ...amountWords(entryOf(code).amounts, place),
    place.differs === null ? "" : differenceWords(place.differs),
    place.quote === null ? "" : `"${shortened(place.quote)}"`,
  ];
  const where = [
    ...(place.case === null ? [] : [listedName(facts, place.case)]),
    ...(place.target === null ? [] : [targetOf(facts, place.target)?.spoken ?? place.target]),
    ...(place.trial === null ? [] : [`trial ${place.trial + 1}`]),
    ...(place.place === null ? [] : [`from ${place.place}`]),
    ...(place.load === null ? [] : [loadWords(place.load)]),
  ];
  return [where.join(", "), ...said].filter((words) => words !== "").join(": ");
}

const MOST_DIFFERENCES = 3;

/** Names what differs between two runs, with both values: "processor (A before, B after)"; empty where nothing does. */
function differingWords(found: readonly Found[]): string {
  const all = new Set(found.flatMap(({ differs }) => (differs === null ? [] : [differenceWords(differs)])));
  const more = all.size > MOST_DIFFERENCES ? [`${all.size - MOST_DIFFERENCES} more`] : [];
  return [...[...all].slice(0, MOST_DIFFERENCES), ...more].join(", ");
}

function differenceWords({ key, before, after }: NonNullable<Found["differs"]>): string {
  return `${key} (${before} before, ${after} after)`;
}

/** Says where a notice holds, with its cases counted; empty where it is the whole run. */
function whereWords(facts: Facts, found: readonly Pick<Found, "case" | "target">[]): string {
  const cases = [...new Set(found.flatMap((place) => place.case ?? []))];
  const targets = found.flatMap((place) => place.target ?? []);
  // A case of which nothing was measured is in no other place.
  const all = new Set([...facts.cases.map(({ id }) => id), ...cases]).size;
  const ofCases =
    cases.length > 1
      ? [`${cases.length} of ${counted(all, caseNoun(facts))}`]
      : cases.map((id) => listedName(facts, id));
  // One platform has a target for each app, under one name.
  const who = [...new Set(targets.map((name) => targetOf(facts, name)?.spoken ?? name))];
  return [...(cases.length === all ? [] : ofCases), listed(who)].filter((words) => words !== "").join(", ");
}

/** Names a case in a list: a title in quotes, since it may have commas itself. */
function listedName({ cases }: Facts, id: string): string {
  const { title, path } = cases.find((each) => each.id === id) ?? { title: id, path: null };
  return path ?? `"${title}"`;
}

/** Gives the first line of a quote without its full stop, cut to what a line has room for. */
function shortened(quote: string): string {
  const [first = ""] = quote.split("\n", 1);
  const line = first.replace(/\.$/, "");
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE - 1)}…` : line;
}
