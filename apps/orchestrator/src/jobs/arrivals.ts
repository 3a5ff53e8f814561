import type { FastifyInstance, FastifyRequest } from 'fastify';

const arrivals = new WeakMap<object, number>();

/** Records when each request arrived, before its body is read. */
export function recordArrivals(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    arrivals.set(request.raw, performance.now());
    done();
  });
}

/** Returns how long ago the request arrived, in milliseconds of the monotonic clock. */
export function ageOf(request: FastifyRequest): number {
  const arrived = arrivals.get(request.raw);
  return arrived === undefined ? 0 : performance.now() - arrived;
}
