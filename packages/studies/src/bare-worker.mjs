// The bare Worker: what the Worker target is held against. No Evenbench code in it.
export default {
  fetch: (request) => new Response(null, { status: request.url.endsWith("/identity") ? 200 : 204 }),
};
