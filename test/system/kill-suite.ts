import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PhaselineClient } from '../../libs/client/src/index.js';
import { findRedisServer, localHome } from '../../libs/local-stack/src/index.js';
import { redisUrlForTests } from '../../libs/test-database/src/index.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { planStack, type QueueBackend } from '../../apps/cli/src/stack/stack-plan.js';
import { verifyLog } from '../../apps/cli/src/audit/verify-log.js';

/*
 * The whole system in processes of their own, from what was built. Each service is killed once while a job is under way,
 * comes back, and the job must end with the same requirements as one that nobody disturbed.
 */

const services = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;
const document = new URL('short-document.md', import.meta.url);
/** Registers the specs for one queue backend; skipped, and named as skipped, where there is no Redis. */
export function killSuite(queue: QueueBackend): void {
  const possible = queue === 'postgres' || redisUrlForTests() !== undefined || findRedisServer() !== undefined;
  describe.skipIf(!possible)(`killing services on ${queue} queues`, () => suite(queue));
}

function suite(queue: QueueBackend): void {
  let folder: string;
  let stack: RunningStack;
  let client: PhaselineClient;
  let undisturbed: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phaseline-system-'));
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      PHASELINE_HOME: join(folder, 'home'),
      LOG_LEVEL: 'info',
      PHASELINE_REHEARSAL_LATENCY_MS: '60',
    };
    const home = await localHome(env, folder);
    const plan = planStack(
      queue === 'redis' && redisUrlForTests() !== undefined ? { ...env, REDIS_URL: redisUrlForTests() } : env,
      { queue },
    );
    stack = await startStack({ home, plan, env, signal: new AbortController().signal });
    client = new PhaselineClient({
      baseUrl: stack.apiUrl,
      retries: 20,
      ...(stack.apiKey === undefined ? {} : { apiKey: stack.apiKey }),
    });
    undisturbed = await requirements(await submit(client));
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  async function requirements(jobId: string): Promise<string> {
    const job = await client.wait(jobId, { timeoutMs: 120_000 });
    expect(job).toMatchObject({ status: 'completed' });
    const text = await client.readText(jobId, 'output/requirements.json');
    expect(JSON.parse(text)).toMatchObject({
      requirements: expect.arrayContaining([expect.objectContaining({ citation: expect.anything() })]),
    });
    return text;
  }

  it.each(services)(
    'ends with the same requirements although the %s was killed',
    { timeout: 150_000 },
    async (service) => {
      const jobId = await submit(client);
      // Somewhere in the middle of what this service does: a different place in every run.
      await reached(client, jobId, service === 'tool-runner' || service === 'tactical-worker' ? 2 : 1);
      await sleep(Math.random() * 600);
      const pid = stack.services().find(({ name }) => name === service)?.pid;
      expect(pid).toBeDefined();
      process.kill(pid!, 'SIGKILL');
      expect(await requirements(jobId)).toBe(undisturbed);
      await expect
        .poll(() => stack.services().find(({ name }) => name === service), { timeout: 30_000 })
        .toMatchObject({ ready: true, restarts: expect.any(Number) });
    },
  );

  it('leaves a log that verifies', async () => {
    expect(await verifyLog(stack.databaseUrl, { signal: new AbortController().signal })).toMatchObject({ holds: true });
  });
}

async function submit(client: PhaselineClient): Promise<string> {
  const { jobId } = await client.submit(
    { agent: 'creator' },
    { files: [{ name: 'short-document.md', content: await readFile(document) }] },
  );
  return jobId;
}

/** Waits until the job is in its nth phase. */
async function reached(client: PhaselineClient, jobId: string, phase: number): Promise<void> {
  await expect
    .poll(async () => (await client.get(jobId).catch(() => undefined))?.phase?.number ?? 0, {
      timeout: 60_000,
      interval: 20,
    })
    .toBeGreaterThanOrEqual(phase);
}
