import type { CreateHandler } from "@evenbench/bundle";

/** The artifact itself lies beside the built entry; here is only its type. */
export declare const createHandler: CreateHandler;
