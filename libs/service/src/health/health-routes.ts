import type { FastifyInstance } from 'fastify';
import { PROBLEM_TYPE, problemBody } from '../http/problem-body.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Readiness } from './readiness.js';

export interface ServiceIdentity {
  readonly service: string;
  readonly processId: string;
  /** The operating system's id, by which a supervisor knows that it is its own child that answers. */
  readonly pid: number;
}

/**
 * `/health`: the process is alive and its event loop turns; restart it when this fails.
 * `/ready`: it can do its work now; send it none while this is 503, but do not restart it for that.
 * `/metrics`: Prometheus text.
 */
export function addHealthRoutes(
  http: FastifyInstance,
  parts: { identity: ServiceIdentity; readiness: Readiness; metrics: Metrics },
): void {
  const { identity, readiness, metrics } = parts;
  http.get('/health', () => ({ status: 'ok', ...identity, uptimeSeconds: Math.round(process.uptime()) }));
  http.get('/ready', async (_request, reply) => {
    const report = await readiness.report();
    if (report.ready) return { ...identity, ...report };
    const message = `${identity.service} is not ready: ${report.reasons.join('; ')}`;
    return reply
      .status(503)
      .type(PROBLEM_TYPE)
      .send({ ...problemBody('not_ready', 503, message), ...identity, ...report });
  });
  http.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
