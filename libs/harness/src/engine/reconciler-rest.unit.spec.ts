import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { MemoryLog } from '@phaseline/memory-log';
import { hashArgumentsOf } from './control.fixture.js';
import { Engine, type EngineOptions } from './engine.js';
import { recordCalls } from './record-calls.fixture.js';
import { call, COMPLETE_JOB, PLAN_ONE_TODO, createThreePhasePolicy, parsePrompt } from './scripts.js';

const failOnError = (stream: string, error: unknown): void => expect.unreachable(`${stream}: ${String(error)}`);
const DAY_MS = 86_400_000;

/** A log that counts the reconciler's queries: lists of streams, and queries about a single stream. */
function createCountingLog() {
  const queries = { lists: 0, streams: 0 };
  const log = new MemoryLog(Date.now);
  const store: EventLog = recordCalls(log, (method) => {
    if (method === 'openStreams') queries.lists += 1;
    else queries.streams += 1;
  });
  return { store, log, asked: queries };
}

function setUp(options: Omit<EngineOptions, 'store'>) {
  const counting = createCountingLog();
  const engine = new Engine({ store: counting.store, ...options });
  /** Runs passes and returns the number of their queries. */
  const runPasses = async (count = 1): Promise<{ lists: number; streams: number }> => {
    Object.assign(counting.asked, { lists: 0, streams: 0 });
    for (let pass = 0; pass < count; pass += 1) await engine.reconciler.runPass(failOnError);
    return { ...counting.asked };
  };
  return { ...counting, engine, passes: runPasses };
}

const work = createThreePhasePolicy([call('write_file', { path: 'a.md', content: 'text' })]);
const approvals = (expireAfterMs: number) => ({
  agent: { approvals: { tools: ['write_file'], expireAfterMs } },
  policy: work,
});

describe('the reconciler', () => {
  it('reads a job that waits for a person once; after that a pass makes two list queries for any number of jobs', async () => {
    const { engine, passes: runPasses } = setUp(approvals(DAY_MS));
    const jobIds = [await engine.submit(), await engine.submit(), await engine.submit()];
    for (const jobId of jobIds) await engine.run(jobId);
    expect((await runPasses()).streams).toBeGreaterThan(0);
    expect(await runPasses(5)).toEqual({ lists: 10, streams: 0 });

    await engine.driver.control(jobIds[0]!, {
      action: 'approve',
      callId: 'call_2_1_1',
      argumentsHash: await hashArgumentsOf(engine, jobIds[0]!, 'call_2_1_1'),
      actor: 'ada',
    } as never);
    engine.messages.splice(0);
    // The message after the approval was lost: only this job is read again, and its message is sent.
    expect((await runPasses()).streams).toBeGreaterThan(0);
    expect(engine.messages).toMatchObject([{ payload: { jobId: jobIds[0] } }]);
  });

  it('may rest while it has nothing to do: not while a message is due, and only until the first timer', async () => {
    const { engine, log, passes: runPasses } = setUp(approvals(60_000));
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    // Longer than an event can stay invisible after its timestamp.
    const pass = async (): Promise<boolean> => {
      await sleep(300);
      const unchangedSince = performance.now() - 260;
      await runPasses();
      return engine.reconciler.canRest(unchangedSince);
    };
    expect(engine.messages).toHaveLength(1);
    expect(await pass()).toBe(false);
    await engine.run(jobId);
    expect(await pass()).toBe(true);
    expect(engine.reconciler.canRest(undefined)).toBe(false);
    expect(engine.reconciler.canRest(performance.now())).toBe(false);
    expect(log.events.some(({ recorded }) => recorded.type === 'ApprovalRequested')).toBe(true);

    engine.advanceTime(62_000);
    expect(engine.reconciler.canRest(0)).toBe(false);
    await runPasses();
    expect(log.events.some(({ recorded }) => recorded.type === 'ApprovalRefused')).toBe(true);
  });

  it('sends a lost message again in every pass', async () => {
    const { engine, passes: runPasses } = setUp({
      policy: (request) => (parsePrompt(request).phase === 1 ? PLAN_ONE_TODO : COMPLETE_JOB),
    });
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    for (let time = 0; time < 5; time += 1) {
      expect(engine.messages).toMatchObject([{ queue: 'strategic', payload: { jobId, phase: 1 } }]);
      engine.messages.splice(0);
      await runPasses();
    }
  });
});
