import { PhaselineClient, type InboxItem } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collect, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

const CITING = {
  path: 'output/requirements.json',
  content: `[
  { "text": "It is blue, see documents/note.md and documents/none.md.",
    "citation": { "document": "documents/note.md", "lines": { "from": 3, "to": 3 }, "quote": "The report must be blue." } }
]`,
};

async function submitWaiting(agent: string, more: object = {}): Promise<JobId> {
  const { jobId } = await client.submit({ agent, documents: [{ name: 'note.md', content: '# Note\n' }], ...more });
  await orchestrator.inPhase(jobId, 1, [
    {
      type: 'ModelResponded',
      data: {
        ...{ step: 1, model: 'default', content: '', end: 'calls', costMicroUsd: 9, durationMs: 1 },
        calls: [{ callId: 'call_1_1_1', name: 'write_file', arguments: { kind: 'parsed', value: {} } }],
        usage: { inputTokens: 100, cachedInputTokens: 10, outputTokens: 5, estimated: false },
      },
    },
    {
      type: 'ApprovalRequested',
      data: {
        ...{ callId: 'call_1_1_1', step: 1, name: 'write_file', arguments: CITING, lane: 'inline' },
        ...{ effect: 'idempotent', traits: [], timeoutMs: 10_000, guardNotes: ['A note.'] },
        ...{ reason: 'Requirements are reviewed. (guard reviewed)', expiresAt: '2999-01-01T00:00:00.000Z' },
      },
    },
  ]);
  return jobId;
}

async function readInbox(agent: string): Promise<readonly InboxItem[]> {
  for (;;) {
    const items = await collect(client.inbox({ agent }));
    if (items.length > 0) return items;
  }
}

it('shows why a guard asks, and what the arguments of the call cite', async () => {
  const jobId = await submitWaiting('writer');
  const items = await readInbox('writer');
  expect(items.map((item) => [item.jobId, item.approval])).toEqual([
    [
      jobId,
      expect.objectContaining({
        reason: 'Requirements are reviewed. (guard reviewed)',
        guardNotes: ['A note.'],
        sources: [
          {
            ...{ kind: 'citation', document: 'documents/note.md', lines: { from: 3, to: 3 } },
            quote: 'The report must be blue.',
          },
          { kind: 'file', path: 'documents/note.md' },
        ],
      }),
    ],
  ]);
});

it('lists only what jobs of one agent wait for', async () => {
  const given = { instructions: 'Read.', parameters: { region: 'EU' } };
  const jobId = await submitWaiting('reader', given);
  expect((await readInbox('reader')).map((item) => item.jobId)).toEqual([jobId]);
  expect(await collect(client.inbox({ agent: 'nobody' }))).toEqual([]);
});
