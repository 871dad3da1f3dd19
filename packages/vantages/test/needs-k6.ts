import { needs } from "@evenbench/host/services/testing";
import type { TestOptions } from "vitest";
import { findK6, HOW_TO_GET_K6 } from "../src/run/find-k6.ts";

/** The k6 of this machine; "" where there is none, and tests that need it are skipped. */
export const K6 = (await findK6()) ?? "";

/** Options of a test that starts k6. */
export const NEEDS_K6: TestOptions = needs(K6 === "" ? HOW_TO_GET_K6 : null);
