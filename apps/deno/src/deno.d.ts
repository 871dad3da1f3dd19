/** The little of Deno that its server needs. */
declare const Deno: {
  serve(
    options: {
      hostname: string;
      port: number;
      reusePort: boolean;
      onListen(): void;
    },
    handler: (request: Request) => Response | Promise<Response>,
  ): {
    shutdown(): Promise<void>;
  };
};
