import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countCommits } from '../../labs/bench/src/count-commits.js';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';

/** Time in milliseconds until a stack is idle; readers poll for half a minute after the last event. */
const SETTLE_MS = 45_000;
/** Many timers of the services run once per minute, all in the same seconds. A shorter window contains all of them or none. */
const WINDOW_S = 60;
const WAITING_JOBS = 200;
/** Maximum number of commits per second of an idle stack. */
const MAX_COMMITS_PER_SECOND = 5;

const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

/** Creates a model server whose every answer calls a tool that requires approval. */
function createModelServer(): Server {
  let calls = 0;
  return createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'GET') return void response.writeHead(404).end();
      calls += 1;
      const call = {
        index: 0,
        id: `call-${calls}`,
        type: 'function',
        function: { name: 'write_file', arguments: JSON.stringify({ path: 'a.md', content: 'text' }) },
      };
      const delta = { role: 'assistant', content: null, tool_calls: [call] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);
      response.end(
        `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`,
      );
    });
  });
}

/** The job also has a deadline, so it waits for a person and for a timer. */
const agent = `name: asker
displayName: Asker
description: Asks a person before it writes.
workflow: phase-alternation
instructions: instructions.md
tools:
  workspace: [read_file, write_file]
  strategic: [todo_write, todo_complete, job_complete]
  tactical: [todo_complete]
approvals: { tools: [write_file], expireAfterMs: 86400000 }
budgets: { maxWallTimeMs: 172800000 }
`;

describe('an idle stack', () => {
  let model: Server;
  let system: AgentStack;
  let database: pg.Client;

  beforeAll(async () => {
    model = createModelServer();
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    system = await startAgentStack({ asker: agent }, `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`);
    database = new pg.Client({ connectionString: system.stack.databaseUrl });
    await database.connect();
  }, 180_000);

  afterAll(async () => {
    await database?.end();
    await system?.close();
    model?.closeAllConnections();
    model?.close();
  }, 60_000);

  async function queryNumber(statement: string): Promise<number> {
    const { rows } = await database.query<{ n: string }>(statement);
    return Number(rows[0]!.n);
  }
  const scans = () =>
    queryNumber(`SELECT seq_scan AS n FROM pg_stat_user_tables WHERE relid = 'phaseline.events'::regclass`);

  async function commitsPerSecond(): Promise<number> {
    const [before, began] = [await countCommits(database), performance.now()];
    await pause(WINDOW_S * 1_000);
    return ((await countCommits(database)) - before) / ((performance.now() - began) / 1_000);
  }

  it('commits at most five times per second, with and without 200 waiting jobs, and never scans the events', async () => {
    const scansBefore = await scans();
    await pause(SETTLE_MS);
    const idle = await commitsPerSecond();
    expect((await scans()) - scansBefore).toBe(0);

    for (let job = 0; job < WAITING_JOBS; job += 1) await system.client.submit({ agent: 'asker' });
    const countApprovals = () =>
      queryNumber(`SELECT count(*) AS n FROM phaseline.events WHERE type = 'ApprovalRequested'`);
    await expect.poll(countApprovals, { timeout: 240_000, interval: 2_000 }).toBe(WAITING_JOBS);
    await pause(SETTLE_MS);
    const scansWhileWaiting = await scans();
    const waiting = await commitsPerSecond();
    console.info(
      `commits per second: ${idle.toFixed(1)} idle, ${waiting.toFixed(1)} with ${WAITING_JOBS} waiting jobs`,
    );
    expect((await scans()) - scansWhileWaiting).toBe(0);
    expect(idle).toBeLessThanOrEqual(MAX_COMMITS_PER_SECOND);
    // Every check of a job is a commit: one check per job and minute would add more than three per second.
    expect(waiting).toBeLessThanOrEqual(MAX_COMMITS_PER_SECOND);
  }, 540_000);
});
