import { defineCase, wholeResponse } from "@evenbench/core";
import text from "./dataset.txt";
import numbers from "./numbers.json" with { type: "json" };

export default defineCase({
  title: "With data",
  description: "Sends what it imports: a text and numbers.",
  parameters: {},
  golden: null,
  headline: "lastByteMs",
  handle() {
    const sum = numbers.values.reduce((total, value) => total + value, 0);
    return wholeResponse(`${sum} ${text.toUpperCase()}`, "text/plain");
  },
});
