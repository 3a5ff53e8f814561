import fastify from 'fastify';
import { expect, it } from 'vitest';
import { Metrics } from '../metrics/metrics.js';
import { addHealthRoutes } from './health-routes.js';
import { Readiness } from './readiness.js';

it('the health of a process includes what it found on its machine', async () => {
  const http = fastify();
  let abilities: Record<string, unknown> = {};
  const identity = { service: 'tool-runner', processId: 'tool-runner-1', pid: 1 };
  addHealthRoutes(http, {
    identity,
    readiness: new Readiness(),
    metrics: new Metrics('tool-runner'),
    getAbilities: () => abilities,
  });
  const read = async (): Promise<unknown> => (await http.inject('/health')).json();
  expect(await read()).toEqual({ status: 'ok', ...identity, uptimeSeconds: expect.any(Number) });
  abilities = { sandbox: { mechanism: 'bubblewrap' } };
  expect(await read()).toMatchObject({ status: 'ok', sandbox: { mechanism: 'bubblewrap' } });
});
