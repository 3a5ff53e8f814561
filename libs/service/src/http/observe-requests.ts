import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.js';

/** Records the duration of every request. Logs server errors at `error` and other responses at `debug`, without bodies and query strings. */
export function observeRequests(http: FastifyInstance, metrics: Metrics, logger: Logger): void {
  http.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    metrics.httpSeconds.observe({ method: request.method, route, status: String(status) }, reply.elapsedTime / 1000);
    const level = status >= 500 && route !== '/ready' ? 'error' : 'debug';
    logger[level](
      { method: request.method, route, status, milliseconds: Math.round(reply.elapsedTime), requestId: request.id },
      'request completed',
    );
  });
}
