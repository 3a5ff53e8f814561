import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool, EventStore, type RecordedEvent } from '@phaseline/event-store';
import { type ServiceEvent } from '@phaseline/local-stack';
import { WireServer } from '@phaseline/harness';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';
import { createWorkflowPolicy, BOMB_DOCUMENTS, BOMB_FAMILIES, type BombFamily } from '@phaseline/stuck';

/**
 * Uses real services with heartbeats and leases: if a pattern blocked the event loop of a worker, its heartbeats would
 * stop and another process would take over its phase. All families run concurrently, so that each would be delayed by the
 * others.
 */
let system: AgentStack;
let model: WireServer;
const serviceEvents: ServiceEvent[] = [];

const policies = BOMB_FAMILIES.map(({ tools, bombs }) => ({
  tools,
  policy: createWorkflowPolicy({
    work: [bombs.map(({ call }) => [call])],
    // No family calls this tool.
    look: ['file_exists', { path: 'instructions.md' }],
  }),
}));

function agentYaml({ name, tools }: BombFamily): string {
  return `name: ${name}
displayName: ${name}
description: Calls its tools with patterns that never end.
tools:
  workspace: [file_exists, read_file, append_file]
  strategic: [todo_write, todo_complete, job_complete]
  tactical: [todo_complete]
  domain: [${tools.join(', ')}]
todos: { min: 1, max: 20 }
stuck: { enabled: false }
limits: { deniedCalls: 100 }
settings: { commands: { allow: [node], path: [${dirname(process.execPath)}], timeoutMs: 3000 } }
`;
}

beforeAll(async () => {
  // A family is recognised by its tools, which are offered in tactical phases; all plan in the same way.
  model = await WireServer.start((request, signal) => {
    const offered = new Set(request.tools.map(({ name }) => name));
    const found = policies.find(({ tools }) => tools.every((name) => offered.has(name)));
    return (found ?? policies[0]!).policy(request, signal);
  });
  const agents = Object.fromEntries(BOMB_FAMILIES.map((family) => [family.name, agentYaml(family)]));
  system = await startAgentStack(agents, model.baseUrl, {
    env: { PHASELINE_CONTEXT_TOKENS: '1000000' },
    onServiceEvent: (event) => void serviceEvents.push(event),
  });
}, 120_000);

afterAll(async () => {
  await system?.close();
  await model?.close();
}, 60_000);

/** Returns how each call of the family's tools in a phase of work ended, in order. Planning reads files too. */
function endsOf(events: readonly RecordedEvent[], tools: readonly string[]): string[] {
  const names = new Map<string, string>();
  const ends: string[] = [];
  const planning = new Set<string>();
  for (const { type, data, streamId } of events) {
    if (type === 'PhaseStarted' && (data['identity'] as { kind: string }).kind === 'strategic') planning.add(streamId);
    if (planning.has(streamId)) continue;
    const { callId, name, code } = data as Record<string, string>;
    if (type === 'ToolCallRequested') names.set(callId!, name!);
    if (type === 'ToolCallDenied' && tools.includes(name!)) ends.push('denied');
    if (!tools.includes(names.get(callId ?? '') ?? '')) continue;
    if (type === 'ToolCallCompleted') ends.push('completed');
    if (type === 'ToolCallFailed') ends.push(code!);
  }
  return ends;
}

it(
  'patterns that never end are stopped at their limit, and no worker loses a lease',
  { timeout: 400_000 },
  async () => {
    const { client, stack } = system;
    const jobs = await Promise.all(
      BOMB_FAMILIES.map(async (family) => {
        const { jobId } = await client.submit({
          agent: family.name,
          instructions: 'Search.',
          documents: BOMB_DOCUMENTS.map(({ name, content }) => ({ name, content })),
        });
        return { family, jobId };
      }),
    );
    const pool = createPool(stack.databaseUrl);
    try {
      for (const { family, jobId } of jobs) {
        const { status } = await client.wait(jobId, { timeoutMs: 380_000 });
        const events = await new EventStore(pool).readCorrelation(jobId);
        const types = events.map(({ type }) => type);
        const ends = endsOf(events, family.tools);
        expect(status, family.name).toBe('completed');
        expect(types, family.name).not.toContain('PhaseTakenOver');
        expect(types, family.name).not.toContain('PhaseFailed');
        // If several ends are correct, accept the actual one.
        const expected = family.bombs.map(({ allowedEnds: right }, index) =>
          right.includes(ends[index]!) ? ends[index] : right,
        );
        expect.soft(ends, family.name).toEqual(expected);
        if (family.resultText !== undefined) expect(JSON.stringify(events)).toContain(family.resultText);
      }
    } finally {
      await pool.end();
    }
    // No service restarted or stopped unexpectedly.
    expect(serviceEvents.filter(({ type }) => type === 'started')).toHaveLength(4);
    expect(serviceEvents.filter(({ type }) => type !== 'started' && type !== 'ready')).toEqual([]);
  },
);
