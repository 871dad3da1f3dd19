import type { IncomingHttpHeaders } from "node:http";
import type { RouteWithSrc } from "@vercel/routing-utils";
import { cookiesIn } from "./conditions.ts";

/** Says where a request for a path is to go by its cookie or its languages; null where it is right already. */
export function localeRedirect(
  locale: RouteWithSrc["locale"],
  path: string,
  headers: IncomingHttpHeaders,
): string | null {
  if (locale?.redirect === undefined) {
    return null;
  }
  const chosen = cookiesIn(headers)[locale.cookie ?? ""];
  const wanted = chosen === undefined ? [] : [chosen];
  for (const language of [...wanted, ...languagesOf(headers["accept-language"])]) {
    const place = localeFor(language, locale.redirect);
    if (place !== null) {
      return new URL(place, "http://host").pathname === path ? null : place;
    }
  }
  return null;
}

/** Finds the place for a language: "de-AT" is also "de", where there is nothing nearer. */
function localeFor(language: string, places: Readonly<Record<string, string>>): string | null {
  const wanted = language.toLowerCase();
  const entries = Object.entries(places);
  const named = entries.find(([name]) => name.toLowerCase() === wanted);
  const near = entries.find(([name]) => name.toLowerCase() === wanted.split("-")[0]);
  return (named ?? near)?.[1] ?? null;
}

/** Reads the languages of an Accept-Language header, the most wanted first (RFC 9110, section 12.5.4). */
function languagesOf(header: string | undefined): readonly string[] {
  const ranges = (header ?? "").split(",").map((range) => {
    const [language = "", ...parameters] = range.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { language, weight: weight === undefined ? 1 : Number(weight) };
  });
  const meant = ranges.filter(({ language, weight }) => language !== "" && weight > 0);
  return meant.sort((a, b) => b.weight - a.weight).map(({ language }) => language);
}
