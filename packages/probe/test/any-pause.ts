// Tests of other things than pauses do not depend on how much of a machine their process gets.
import { clientPauses } from "../src/pauses.ts";

clientPauses.longMs = Number.POSITIVE_INFINITY;
