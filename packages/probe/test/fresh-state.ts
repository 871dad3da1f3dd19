// Files of tests share modules: each begins with the state of a program that has just started.
import { keepOptions } from "@evenbench/core/advice";
import { vi } from "vitest";
import { clientPauses } from "../src/pauses.ts";

// Tests of other things than pauses do not depend on how much of a machine their process gets.
clientPauses.longMs = Number.POSITIVE_INFINITY;
keepOptions(null);
vi.unstubAllEnvs();
vi.restoreAllMocks();
