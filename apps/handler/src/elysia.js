// Takes the place of Elysia: an app has the platform's adapter, and one that listens is asked by the platform's server.

import { adapter } from "evenbench:elysia-adapter";
import { serve } from "evenbench:served";
import { Elysia as Own } from "elysia";

export * from "elysia";

export class Elysia extends Own {
  constructor(options) {
    super({ ...options, adapter });
    // Elysia's own is a property of each app, too.
    this.listen = () => {
      // Workers let its compiler make code at their start alone.
      const compiled = this.compile();
      serve({ fetch: (request) => compiled.fetch(request) });
      return this;
    };
  }
}

export default Elysia;
