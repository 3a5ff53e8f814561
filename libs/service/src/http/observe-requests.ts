import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.js';

/** Counts every answer, and logs those that went wrong on our side; the others at debug. Bodies and query strings are never logged. */
export function observeRequests(http: FastifyInstance, metrics: Metrics, logger: Logger): void {
  http.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    metrics.httpSeconds.observe({ method: request.method, route, status: String(status) }, reply.elapsedTime / 1000);
    const level = status >= 500 && route !== '/ready' ? 'error' : 'debug';
    logger[level](
      { method: request.method, route, status, milliseconds: Math.round(reply.elapsedTime), requestId: request.id },
      'request answered',
    );
  });
}
