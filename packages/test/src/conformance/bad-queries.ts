import type { ParameterDeclarations } from "@evenbench/core";

export function badQueries(parameters: ParameterDeclarations): [query: string, parameter: string][] {
  const queries: [string, string][] = [
    ["surely-unknown=1", "surely-unknown"],
    ["__proto__=1", "__proto__"],
  ];
  for (const [name, parameter] of Object.entries(parameters)) {
    const values =
      parameter.type === "integer"
        ? [
            parameter.minimum - 1,
            parameter.maximum + 1,
            "",
            "x",
            "1.5",
            "0x1",
            "1e3",
            "%00",
            "%zz",
            "9".repeat(40),
          ]
        : ["", "surely-no-choice", `${parameter.default}%20`];
    for (const value of values) queries.push([`${name}=${value}`, name]);
    queries.push([`${name}=${parameter.default}&${name}=${parameter.default}`, name]);
  }
  return queries;
}
