import type { CreateHandler } from "@evenbench/bundle";

export declare const createHandler: CreateHandler;
