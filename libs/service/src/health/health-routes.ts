import type { ProcessId } from '@phaseline/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PROBLEM_TYPE, createProblemBody } from '../http/problem-body.js';
import { listTenantsWithRight, type TenantSelection } from '@phaseline/identity';
import { findCaller } from '../http/request-guard.js';
import { selectTenants } from '../metrics/select-tenants.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Readiness } from './readiness.js';

export interface ServiceIdentity {
  readonly service: string;
  readonly processId: ProcessId;
  /** Process id of the operating system. A supervisor uses it to verify that its own child responds. */
  readonly pid: number;
}

/**
 * Rights that the probes need. `/metrics` answers everyone, but only a caller with the right `metrics:read` in a tenant sees the series of
 * that tenant.
 */
export const probeRequirements = {
  '/health': 'anyone',
  '/ready': 'anyone',
  '/metrics': 'anyone',
} as const;

/**
 * Adds the routes of the probes:
 * - `/health`: 200 while the process runs. Restart it if this fails. The answer of a tool-runner also names its sandbox.
 * - `/ready`: 200 while the service can work, otherwise 503. Do not route requests to it then, but do not restart it.
 * - `/metrics`: metrics in Prometheus text format.
 */
export function addHealthRoutes(
  http: FastifyInstance,
  parts: {
    identity: ServiceIdentity;
    readiness: Readiness;
    metrics: Metrics;
    /** What the process found on its machine. */
    getAbilities: () => object;
  },
): void {
  const { identity, readiness, metrics, getAbilities } = parts;
  http.get('/health', () => ({
    status: 'ok',
    ...identity,
    uptimeSeconds: Math.round(process.uptime()),
    ...getAbilities(),
  }));
  http.get('/ready', async (_request, reply) => {
    const report = await readiness.report();
    if (report.ready) return { ...identity, ...report };
    const message = `${identity.service} is not ready: ${report.reasons.join('; ')}`;
    return reply
      .status(503)
      .type(PROBLEM_TYPE)
      .send({ ...createProblemBody('not_ready', 503, message), ...identity, ...report });
  });
  http.get('/metrics', async (request, reply) => {
    const tenants = listMetricTenants(request);
    return reply.type(metrics.contentType).send(selectTenants(await metrics.render(), tenants));
  });
}

/** A probe without a key sees no tenant. */
function listMetricTenants(request: FastifyRequest): TenantSelection {
  const caller = findCaller(request);
  return caller ? listTenantsWithRight(caller, 'metrics:read') : [];
}
