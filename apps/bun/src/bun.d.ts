/** The part of Bun that is used here: its own types (@types/bun) would take the place of Node.js' in the whole repository. */
declare const Bun: {
  serve(options: {
    fetch(request: Request): Response | Promise<Response>;
    hostname: string;
    port: number;
    /** Seconds for which idle connections are kept; at most 255. */
    idleTimeout: number;
    reusePort: boolean;
  }): {
    stop(): Promise<void>;
  };
};
