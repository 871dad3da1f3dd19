import { needs } from "@evenbench/host/services/testing";
import type { TestOptions } from "vitest";
import { findK6, HOW_TO_GET_K6 } from "../../src/k6/program.ts";

/** The k6 of this machine; "" where there is none, and tests that need it are skipped. */
export const K6: string = (await findK6()) ?? "";

export const NEEDS_K6: TestOptions = needs(K6 === "" ? HOW_TO_GET_K6 : null);
