import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { getSchemaVersion, jobStream, type PhaseEvent } from '@phaseline/domain';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

/** An agent with a guard that asks and one that denies. */
const GUARDED = {
  'agents/guarded/agent.yaml': 'name: guarded\ndisplayName: Guarded\nworkflow: short\ntools: {}\n',
  'agents/guarded/instructions.md': '# Work\n',
  'agents/guarded/guards/asking.yaml': 'name: asking\nowner: ada\nwhen: { tool: write_file }\nthen: { ask: may it? }\n',
  'agents/guarded/guards/denying.yaml':
    'name: denying\nowner: ada\nwhen: { tool: append_file }\nthen: { deny: it may not }\n',
};

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator({}, { files: GUARDED });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

function request(type: 'ApprovalRequested' | 'ToolCallRequested', callId: string, path: string): PhaseEvent {
  const call = {
    callId,
    step: 1,
    name: 'write_file',
    arguments: { path },
    lane: 'remote',
    effect: 'once',
    timeoutMs: 1,
  };
  const expiry = type === 'ApprovalRequested' ? { expiresAt: '2099-01-01T00:00:00.000Z' } : {};
  return { type, data: { ...call, traits: [], ...expiry } } as unknown as PhaseEvent;
}

const refused = (callId: CallId): PhaseEvent => ({
  type: 'ApprovalRefused',
  data: { callId, actor: 'ada', reason: 'no' },
});
const ended = (callId: string): PhaseEvent =>
  ({ type: 'ToolCallCompleted', data: { callId, content: '', attempts: 1, durationMs: 1 } }) as PhaseEvent;

async function completeJob(jobId: JobId): Promise<void> {
  const data = { summary: 'done', deliverables: [], confidence: 1, notes: '', evidence: [] };
  const event = { type: 'JobCompleted', schemaVersion: getSchemaVersion('JobCompleted'), data, metadata: {} } as const;
  await orchestrator.store.append({
    ...{ streamId: jobStream(jobId), correlationId: jobId, expectedVersion: 'any' },
    events: [{ eventId: randomUUID(), ...event }],
  });
}

it('calls that a person refused five times are a pattern, whose rule matches no accepted call of a completed job', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  const paths = ['docs/a.md', 'docs/b.md', 'docs/c.md', 'test/d.md', 'test/e.md'];
  await orchestrator.inPhase(jobId, 1, [
    phaseEvents.answered(1),
    ...paths.flatMap((path, index) => [
      request('ApprovalRequested', `c${index}`, path),
      refused(`c${index}` as CallId),
    ]),
  ]);
  await expect.poll(() => client.learning.patterns(), { timeout: 20_000 }).toHaveLength(1);
  const [pattern] = await client.learning.patterns();
  expect(pattern).toMatchObject({
    ...{ tenant: 'default', agent: 'writer', reason: 'person_refused', point: 'PermissionRequest', tool: 'write_file' },
    ...{ shape: 'path:string', proposals: ['change_instructions', 'new_rule'], support: 5, jobs: 1 },
    ...{ tokens: 5 * 105, costMicroUsd: 5 * 9 },
  });
  const { trace, position } = pattern!.examples[0]!;
  expect((await client.learningTrace(trace)).position).toBe(position);
  expect(await client.learning.patterns({ agent: 'other' })).toEqual([]);
  expect(await client.learning.patterns({ since: '2099-01-01T00:00:00Z' })).toEqual([]);
  const readArgs = async () => (await client.learning.proposeGuard(pattern!.id)).guard?.['when'];
  expect(await readArgs()).toMatchObject({
    agent: 'writer',
    tool: 'write_file',
    args: { path: { matches: '\\.md$' } },
  });

  const accepted = await client.submit({ agent: 'writer' });
  await orchestrator.inPhase(accepted.jobId, 1, [
    ...[request('ToolCallRequested', 'c1', 'src/readme.md'), ended('c1')],
    // It was not accepted.
    request('ToolCallRequested', 'c2', 'docs/f.md'),
  ]);
  await completeJob(accepted.jobId);
  const docs = { args: { path: { matches: '^docs/(?s:.*)\\.md$' } } };
  await expect.poll(readArgs, { timeout: 20_000 }).toMatchObject({
    any: [docs, { args: { path: { matches: '^test/(?s:.*)\\.md$' } } }],
  });

  const { proposals } = await client.learning.proposals(pattern!.id);
  expect(proposals.map(({ kind, problem }) => [kind, problem])).toEqual([
    ['change_instructions', undefined],
    ['new_rule', undefined],
  ]);
  const [instructions, rule] = proposals;
  const line =
    '- Do not call write_file with path that matches "^docs/(?s:.*)\\\\.md$", or with path that matches "^test/(?s:.*)\\\\.md$": people refused it 5 times. The newest reason, quoted: "no".';
  expect(instructions!.diff).toContain(` # Write well\n+\n+${line}\n`);
  expect(instructions!.diff).toContain('+++ b/writer/instructions.md');
  const { agent: name, files } = instructions!;
  expect(await client.validateAgent({ name: name!, files: files! })).toMatchObject({ passed: true, problems: [] });
  expect(rule!.guard).toEqual((await client.learning.proposeGuard(pattern!.id)).guard);
  await expect(client.learning.proposals('0123456789abcdef')).rejects.toMatchObject({ code: 'pattern_not_found' });
  await expect(client.learning.proposeGuard('0123456789abcdef')).rejects.toMatchObject({ code: 'pattern_not_found' });
});

it('messages and edits of people are patterns with the call that they are about', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  await orchestrator.inPhase(jobId, 1, [
    phaseEvents.answered(1),
    ...[request('ToolCallRequested', 's1', 'notes/a.md'), ended('s1')],
    ...[request('ToolCallRequested', 's2', 'notes/b.md'), ended('s2')],
  ]);
  for (const turn of [1, 2, 3, 4, 5]) {
    await client.control(jobId, 'steer', { message: `Shorter, please (${turn})` });
    await client.writeFile(jobId, 'notes/a.md', new TextEncoder().encode(`text ${turn}`), { reason: 'too long' });
  }
  const list = async () => (await client.learning.patterns()).filter(({ reason }) => /steered|edited/.test(reason));
  await expect.poll(list, { timeout: 20_000 }).toHaveLength(2);
  const patterns = Object.fromEntries((await list()).map((one) => [one.reason, one]));
  expect(patterns['person_steered']).toMatchObject({
    ...{ agent: 'writer', tool: 'write_file', shape: 'path:string', support: 5, jobs: 1, tokens: 0 },
    proposals: ['change_instructions', 'new_rule'],
  });
  expect(patterns['person_edited']).toMatchObject({ tool: 'write_file', files: 'notes/*.md', support: 5 });
  const { proposals } = await client.learning.proposals(patterns['person_steered']!.id);
  expect(proposals[0]!.diff).toMatch(/\+- Take care with calls of write_file .*notes.*: "Shorter, please \(5\)"\./);
  // Messages are no mistakes of the agent that could be repeated.
  expect((await client.learning.report()).metrics.repeatedMistakes.of).toBe(5);
});

it('a guard that asked or denied gets a stricter version from what the log says about it', async () => {
  const { jobId } = await client.submit({ agent: 'guarded' });
  await expect.poll(() => orchestrator.repository.loadPhase(jobId, 1)).toBeDefined();
  const { guards } = (await orchestrator.repository.loadPhase(jobId, 1))!.start.terms;
  const decided = (name: string, decision: string, callId: string): PhaseEvent => {
    const { version, scope, kind, stage } = guards!.find((guard) => guard.name === name)!;
    const guard = { name, version, scope, kind, stage };
    return { type: 'GuardDecided', data: { point: 'PreToolUse', callId, guard, decision, reason: 'r' } } as PhaseEvent;
  };
  const turns = ['1', '2', '3', '4', '5'];
  const call = (callId: string) => ({ callId, name: 'append_file', arguments: { path: `docs/${callId}.md` } });
  const answered = phaseEvents.answered(1) as Extract<PhaseEvent, { type: 'ModelResponded' }>;
  await orchestrator.inPhase(jobId, 1, [
    { ...answered, data: { ...answered.data, calls: turns.map((turn) => call(`d${turn}`)) } } as PhaseEvent,
    ...turns.flatMap((turn): PhaseEvent[] => [
      decided('denying', 'deny', `d${turn}`),
      {
        type: 'ToolCallDenied',
        data: { callId: `d${turn}`, step: 1, name: 'append_file', code: 'guard_denied', message: 'it may not' },
      } as PhaseEvent,
    ]),
    ...turns.flatMap((turn) => [
      decided('asking', 'ask', `a${turn}`),
      request('ApprovalRequested', `a${turn}`, `docs/a${turn}.md`),
      refused(`a${turn}` as CallId),
    ]),
    // The file of a denied call, changed with another tool.
    ...[request('ToolCallRequested', 'e1', './docs/d3.md'), ended('e1')],
    ...[request('ToolCallRequested', 'e2', 'docs/other.md'), ended('e2')],
  ]);
  const list = () => client.learning.patterns({ agent: 'guarded' });
  await expect.poll(list, { timeout: 20_000 }).toHaveLength(2);
  const patterns = Object.fromEntries((await list()).map((one) => [one.guard, one]));
  expect(patterns['asking']!.proposals).toEqual(['stricter_guard', 'change_instructions', 'new_rule']);
  expect(patterns['denying']!.proposals).toEqual(['stricter_guard', 'change_instructions']);
  const readStricter = async (name: string) => (await client.learning.proposals(patterns[name]!.id)).proposals[0]!;
  expect(await readStricter('denying')).toMatchObject({
    guard: { name: 'denying', owner: 'ada', when: { tool: ['append_file', 'write_file'] } },
    diff: expect.stringContaining('-  tool: append_file\n+  tool:\n+    - append_file\n+    - write_file\n'),
  });
  expect(await readStricter('asking')).toMatchObject({
    guard: { name: 'asking', then: { deny: 'may it?' } },
    diff: expect.stringContaining('-  ask: may it?\n+  deny: may it?\n'),
  });
  await orchestrator.inPhase(jobId, 1, [
    decided('asking', 'ask', 'ok'),
    request('ApprovalRequested', 'ok', 'docs/ok.md'),
    { type: 'ApprovalGranted', data: { callId: 'ok', actor: 'ada' } } as PhaseEvent,
  ]);
  expect((await readStricter('asking')).problem).toMatch(/^people approved calls .* \(1\)/);
});
