import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PhaselineClient } from '@phaseline/client';
import { openLocalHome } from '@phaseline/local-stack';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { verifyLog } from '../../apps/cli/src/audit/verify-log.js';

/**
 * The local stack and the shipped agent, from the build output: every service is killed once during one job and
 * restarted, and the job must end with the same requirements as an undisturbed one. For other faults see
 * chaos-suite.ts.
 */

const document = new URL('short-document.md', import.meta.url);
/** The phase of the job in which each service is killed: one in which it has work. */
const kills = { 'strategic-worker': 1, 'tactical-worker': 2, 'tool-runner': 2, orchestrator: 3 } as const;

describe('a job whose services are all killed', () => {
  let folder: string;
  let stack: RunningStack;
  let client: PhaselineClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phaseline-system-'));
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, PHASELINE_HOME: join(folder, 'home'), PHASELINE_REHEARSAL_LATENCY_MS: '60' };
    stack = await startStack({
      home: await openLocalHome(env, folder),
      plan: planStack(env, { queueBackend: 'postgres' }),
      env,
      signal: new AbortController().signal,
    });
    client = new PhaselineClient({ baseUrl: stack.apiUrl, retries: 40 });
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  async function requirements(jobId: string): Promise<string> {
    expect(await client.wait(jobId, { timeoutMs: 150_000 })).toMatchObject({ status: 'completed' });
    const text = await client.readText(jobId, 'output/requirements.json');
    expect(JSON.parse(text)).toMatchObject({
      requirements: expect.arrayContaining([expect.objectContaining({ citation: expect.anything() })]),
    });
    return text;
  }

  it('ends with the same requirements as an undisturbed one', { timeout: 240_000 }, async () => {
    const undisturbed = await requirements(await submit(client));
    const jobId = await submit(client);
    for (const [service, phase] of Object.entries(kills)) {
      await waitForPhase(client, jobId, phase);
      // At a random time, to hit a different point in every run.
      await sleep(Math.random() * 400);
      const pid = stack.services().find(({ name }) => name === service)?.pid;
      expect(pid).toBeDefined();
      process.kill(pid!, 'SIGKILL');
    }
    expect(await requirements(jobId)).toBe(undisturbed);
    await expect
      .poll(() => stack.services().filter(({ name }) => name in kills), { timeout: 60_000 })
      .toEqual(Object.keys(kills).map(() => expect.objectContaining({ isReady: true })));
    expect(await verifyLog(stack.databaseUrl, { signal: new AbortController().signal })).toMatchObject({
      passed: true,
    });
  });
});

async function submit(client: PhaselineClient): Promise<string> {
  const { jobId } = await client.submit(
    { agent: 'creator' },
    { files: [{ name: 'short-document.md', content: await readFile(document) }] },
  );
  return jobId;
}

/** Waits until the job is in its nth phase, or has ended. */
async function waitForPhase(client: PhaselineClient, jobId: string, phase: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const job = await client.get(jobId).catch(() => undefined);
        return job?.status === 'completed' || (job?.phase?.number ?? 0) >= phase;
      },
      { timeout: 90_000, interval: 20 },
    )
    .toBe(true);
}
