import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import {
  collectNames,
  durationFrom,
  parseConcurrency,
  parseDuration,
  parseExport,
  parseFailOn,
  parseLimit,
  parsePrecision,
  parsePublishedAddress,
  parseRates,
  wholeNumber,
} from "./option-values.ts";
import { shared } from "./options.ts";

describe.each([
  [
    "a duration",
    parseDuration,
    { "60s": 60_000, "2m": 120_000, "1.5m": 90_000, "500ms": 500, "0.5h": 1_800_000 },
    ["", "s", "-1s", "1 s", "1d", "0s", "25h", "NaN", "10"],
    /duration/i,
  ],
  [
    "a duration of two seconds or more",
    durationFrom(2000, "2s"),
    { "2s": 2000 },
    ["1999ms"],
    /between 2s and 24h/,
  ],
  [
    "a precision",
    parsePrecision,
    { "2%": 0.02, "0.05": 0.05 },
    ["0", "100%", "2", "x%", "-1%"],
    /precision/i,
  ],
  [
    "a number of workers",
    shared.workers().parseArg as (text: string) => number,
    { max: availableParallelism(), "3": 3 },
    ["0", "most"],
    /from 1 to/,
  ],
  [
    "a whole number from 1 to 10",
    wholeNumber(1, 10),
    { "10": 10 },
    ["0", "11", "1.5", "ten", ""],
    /from 1 to 10/,
  ],
  [
    "a list of names",
    (text: string) => collectNames(text, ["a"]),
    { "b,c": ["a", "b", "c"] },
    ["", ",", ",,"],
    /It names nothing/,
  ],
  [
    "a list of concurrencies",
    parseConcurrency,
    { "4,1,2,2": [1, 2, 4], "1..32": [1, 2, 4, 8, 16, 32], "3..10": [3, 6, 10], "8": [8] },
    ["", "0", "1,x", "32..1", "1..5000", "1.5", "-1", "1e9"],
    /Give numbers from 1 to 1024/,
  ],
  [
    "a list of rates",
    parseRates,
    { "40,10.5": [10.5, 40] },
    ["", "0", "x", "-4", "1000000"],
    /Give rates above 0/,
  ],
  [
    "further rates",
    (text: string) => parseRates(text, [5]),
    { "40,5": [5, 40] },
    ["0"],
    /Give rates above 0/,
  ],
  [
    "further numbers of requests at a time",
    (text: string) => parseConcurrency(text, [1]),
    { "4,1": [1, 4] },
    ["0"],
    /Give numbers from 1 to 1024/,
  ],
  [
    "a condition on latency",
    parseLimit,
    { "p99 <= 250ms": { quantile: 0.99, limitMs: 250 } },
    ["fast"],
    /p99 <= 250ms/,
  ],
  [
    "the address of a gallery",
    parsePublishedAddress,
    {
      "https://pages.example/some": "https://pages.example/some/",
      "https://a.example/": "https://a.example/",
    },
    ["http://a.example", "javascript:alert(1)", "https://a:b@c.example", "nowhere", "https://a.example/?y"],
    /begins with https/,
  ],
  [
    "a condition for failing",
    parseFailOn,
    {
      "slower 5%": [{ of: "time", verdict: "slower", by: 0.05 }],
      "time slower 5%": [{ of: "time", verdict: "slower", by: 0.05 }],
      " faster  2.5 % ": [{ of: "time", verdict: "faster", by: 0.025 }],
      "cpu slower 5%": [{ of: "CPU time", verdict: "slower", by: 0.05 }],
      "startup slower 10%": [{ of: "start-up", verdict: "slower", by: 0.1 }],
      "CPU Slower 0%": [{ of: "CPU time", verdict: "slower", by: 0 }],
      "memory grows 1kB": [{ of: "memory", verdict: "grows", by: 1000 }],
      "memory grows 0.5 MB": [{ of: "memory", verdict: "grows", by: 500_000 }],
    },
    [
      "slower",
      "slower 5",
      "somewhat slower 5%",
      "cpu 5%",
      "cpu-time slower 5%",
      "slower -5%",
      "slower 5%%",
      "slower 5%, cpu slower 10%",
      "faster 100%",
      "grows 1kB",
      "memory slower 5%",
      "memory grows 5%",
    ],
    /such as/,
  ],
  [
    "a form to export",
    parseExport,
    {
      bmf: [{ format: "bmf", file: null }],
      "junit=reports/a=b.xml": [{ format: "junit", file: "reports/a=b.xml" }],
    },
    ["", "csv", "junit=", "=x", "toString"],
    /bmf, github, junit/,
  ],
] as const)("%s", (_, parse, read, refused, message) => {
  test.each(Object.entries(read))("is read from %j", (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test.each(refused)("is refused where it is %j, with what it takes", (text) => {
    expect(() => parse(text)).toThrow(message);
  });
});
