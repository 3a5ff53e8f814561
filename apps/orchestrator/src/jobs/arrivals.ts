import type { FastifyInstance, FastifyRequest } from 'fastify';

const arrivals = new WeakMap<object, number>();

/** Notes when each request came, before its body is read. */
export function noteArrivals(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    arrivals.set(request.raw, performance.now());
    done();
  });
}

/** How long ago the request came, in milliseconds by this process' own steady clock. */
export function ageOf(request: FastifyRequest): number {
  const arrived = arrivals.get(request.raw);
  return arrived === undefined ? 0 : performance.now() - arrived;
}
