import { ProcessRegistry } from '@phaseline/cluster';
import { createPool } from '@phaseline/event-store';
import { createLogger } from '@phaseline/service';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it, onTestFinished } from 'vitest';
import { SandboxProbe } from './sandbox-probe.js';
import { toolRunnerConfig } from './tool-runner-config.js';

async function reportSandbox(env: Record<string, string>): Promise<() => Promise<unknown>> {
  const database = await createTestDatabase();
  const pool = createPool(database.serviceUrl, { max: 2 });
  // An interval that a spec never reaches: what is reported is written at once.
  const processes = new ProcessRegistry(pool, { heartbeatIntervalMs: 3_600_000 });
  onTestFinished(async () => {
    await processes.close();
    await pool.end();
    await database.drop();
  });
  await processes.heartbeat('tool-runner-1', 'tool-runner');
  const config = toolRunnerConfig.parse({ DATABASE_URL: database.serviceUrl, ...env });
  new SandboxProbe(
    config,
    createLogger({ level: 'silent', service: 'tool-runner', processId: 'tool-runner-1', env: {} }),
    processes,
  ).onApplicationBootstrap();
  return async () => (await processes.listReports())[0]!.abilities;
}

it('a tool-runner reports how it contains commands', async () => {
  const read = await reportSandbox({ PHASELINE_SANDBOX: 'unshare' });
  await expect.poll(read).toMatchObject({
    sandbox: {
      mechanism: 'unshare',
      limitedBy: expect.stringMatching(/^(cgroup v[12]|rlimits and a watcher)$/) as string,
      hasFilter: true,
    },
  });
});

it('a tool-runner reports that it refuses commands, and why', async () => {
  const read = await reportSandbox({ PHASELINE_SANDBOX: 'container', PHASELINE_SANDBOX_PROGRAM: '/no/such/program' });
  await expect.poll(read).toEqual({
    sandbox: { mechanism: null, reasons: [expect.stringContaining('it needs an image (PHASELINE_SANDBOX_IMAGE)')] },
  });
});
