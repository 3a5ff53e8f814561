import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import type { Engine, EngineOptions, Policy } from '../engine/engine.js';
import { RecordedPrompts } from '@phaseline/time-travel';
import { useStore } from '../engine/use-store.fixture.js';
import {
  answerPlan,
  createPlanner,
  decidePlan,
  listEvents,
  listStates,
  loadPlanner,
  type PlanScript,
  playPlan,
  readArtifact,
  readSession,
  SMALL_PLAN,
  startPlan,
} from './planner.fixture.js';

const opened = useStore();

const GOAL = { goal: 'Build a boat by the end of January' };
const WEEK_MS = 7 * 24 * 3_600_000;

async function plan(
  script: Partial<PlanScript> = {},
  parameters: JsonObject = {},
  options: Partial<EngineOptions> = {},
): Promise<{
  readonly subject: Engine;
  readonly jobId: JobId;
  readonly requests: ReturnType<typeof playPlan>['requests'];
}> {
  const { policy, requests } = playPlan(script);
  const subject = await createPlanner(opened.store, policy, options);
  return { subject, jobId: await startPlan(subject, { ...GOAL, ...parameters }), requests };
}

const WHOLE_PATH = [
  ...['open', 'collect_context', 'draft_outline', 'validate_outline', 'draft_roadmap', 'validate_roadmap'],
  ...['draft_schedule', 'validate_schedule', 'seek_approval'],
];

/** The calls of the only answer of a stage, with changes to the arguments of one tool. */
function change(stage: keyof PlanScript, tool: string, changes: object): (readonly [string, object])[] {
  return SMALL_PLAN[stage][0]!.map(([name, args]) => [name, name === tool ? { ...args, ...changes } : args] as const);
}

describe('a plan', () => {
  it('goes from the goal to an approved schedule; only the stages that draft call a model', async () => {
    const { subject, jobId, requests } = await plan();
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
    expect(requests).toHaveLength(5);
    expect(await readSession(subject, jobId)).toMatchObject({
      ...{
        planningStatus: 'needs_clarification',
        stage: 'approval',
        escalateReason: 'The schedule waits for an approval.',
      },
      responseText: "The boat is built in January.\n\nReply 'approve'.",
    });
    const { hashes } = await readSession(subject, jobId);
    const args = await decidePlan(subject, jobId);
    expect(args).toMatchObject({ kind: 'schedule', job: jobId, content_hash: hashes.schedule });
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(await readSession(subject, jobId)).toMatchObject({ planningStatus: 'complete' });
  });

  it('has artifacts that name each other, and mirrors of the pattern that are equal', async () => {
    const { subject, jobId } = await plan();
    const { hashes, selectedPattern } = await readSession(subject, jobId);
    const [context, outline, roadmap, schedule] = await Promise.all(
      (['context', 'outline', 'roadmap', 'schedule'] as const).map((kind) => readArtifact(subject, jobId, kind)),
    );
    expect([outline!['contextHash'], roadmap!['outlineHash'], schedule!['roadmapHash']]).toEqual([
      ...[hashes.context, hashes.outline, hashes.roadmap],
    ]);
    expect([context!['pattern'], outline!['pattern'], roadmap!['pattern']]).toEqual([
      ...[selectedPattern, selectedPattern, selectedPattern],
    ]);
    const recorded = await listEvents(subject, jobId, 'PlanArtifactRecorded');
    expect(recorded.map(({ kind }) => kind)).toEqual([
      'context',
      'context',
      'context',
      'outline',
      'roadmap',
      'schedule',
    ]);
    expect(recorded.at(-1)).toMatchObject({ hash: hashes.schedule, madeFrom: hashes.roadmap });
    expect(schedule!['tasks']).toMatchObject([{ task: 'saw' }, { task: 'glue' }]);
  });

  it('records the confidence of each draft with its parts', async () => {
    const { subject, jobId } = await plan();
    const assessed = await listEvents(subject, jobId, 'StageAssessed');
    expect(assessed.map(({ stage, band, self, validator }) => [stage, band, self, validator])).toEqual([
      ...[
        ['outline', 'go_on', 0.9, 1],
        ['roadmap', 'go_on', 0.9, 1],
        ['schedule', 'go_on', 0.9, 1],
      ],
    ]);
  });

  it('shows each stage the files of its beginning, and every prompt can be rebuilt from the log', async () => {
    const [select, generate] = SMALL_PLAN.outline[0]!;
    const { subject, jobId, requests } = await plan({ outline: [[select!], [generate!]] });
    const prompts = new RecordedPrompts(opened.store, subject.tools);
    const rebuilt = [];
    for (const phase of [2, 3, 5, 7, 9])
      for (const { step, attempt } of await prompts.list(jobId, phase))
        rebuilt.push(await prompts.rebuild(jobId, phase, step, attempt));
    expect(rebuilt.map((prompt) => prompt?.isExact)).toEqual([true, true, true, true, true, true]);
    // The first call of the stage changes the session and the context; the second one has the same beginning.
    const [before, after] = [requests[1]!, requests[2]!].map(({ messages }) =>
      messages.find(({ role }) => role === 'user'),
    );
    expect(before!.content).toContain('### plan/session.json');
    expect(after).toEqual(before);
  });

  it('survives that every message is delivered twice', async () => {
    const { policy, requests } = playPlan();
    const subject = await createPlanner(opened.store, policy);
    const jobId = await subject.submit({ agent: 'planner', parameters: { ...GOAL, user: 'ada' } });
    await subject.run(jobId, { deliveries: 2 });
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
    expect(requests).toHaveLength(5);
    expect(await listEvents(subject, jobId, 'ApprovalRequested')).toHaveLength(1);
  });
});

describe('the approval policy', () => {
  it('milestone_approvals asks for outline, roadmap and schedule', async () => {
    const { subject, jobId } = await plan({}, { policy: { approvalPolicy: 'milestone_approvals' } });
    const kinds = [];
    while ((await subject.loadJob(jobId)).status === 'running') kinds.push((await decidePlan(subject, jobId))['kind']);
    expect(kinds).toEqual(['outline', 'roadmap', 'schedule']);
  });

  it('strict_every_step also asks for the goal as understood', async () => {
    const { subject, jobId } = await plan({}, { policy: { approvalPolicy: 'strict_every_step' } });
    const kinds = [];
    while ((await subject.loadJob(jobId)).status === 'running') kinds.push((await decidePlan(subject, jobId))['kind']);
    expect(kinds).toEqual(['goal', 'outline', 'roadmap', 'schedule']);
  });
});

describe('a person', () => {
  const QUESTION = { text: 'How many hours a week?', assumption: 'Ten hours a week.', is_blocking: true };
  const asking = (questions: readonly object[]): PlanScript['context'] => [
    change('context', 'context_elicitor', { questions }),
    SMALL_PLAN.context[0]!,
  ];

  it('is asked for what blocks, and the answer is part of the next prompts', async () => {
    const { subject, jobId, requests } = await plan({ context: asking([QUESTION]) });
    expect(await readSession(subject, jobId)).toMatchObject({ planningStatus: 'needs_clarification' });
    expect(await answerPlan(subject, jobId, 'Six hours.')).toBe(
      "How many hours a week?\n\nReply with your answers, or with 'stop'.",
    );
    expect((await listStates(subject, jobId)).slice(0, 4)).toEqual([
      ...['open', 'collect_context', 'needs_clarification', 'collect_context'],
    ]);
    expect(JSON.stringify(requests[1]!.messages)).toContain('Six hours.');
  });

  it('is asked nothing that does not block while autonomy is high; assumptions are recorded', async () => {
    const open = { ...QUESTION, is_blocking: false };
    const { subject, jobId } = await plan({ context: asking([open]) }, { policy: { autonomy: 'high' } });
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
    expect((await readArtifact(subject, jobId, 'context'))['facts']).toEqual([
      { question: QUESTION.text, answer: QUESTION.assumption, isAssumed: true },
    ]);
  });

  it('is asked no question with a probing depth of 0, even if it blocks', async () => {
    const { subject, jobId } = await plan({ context: asking([QUESTION]) }, { policy: { probingDepth: 0 } });
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
  });

  it('is asked once whether they prefer it concise or conversational', async () => {
    const context: PlanScript['context'] = [
      [['preference_probe', { confidence: 0.9 }], ...SMALL_PLAN.context[0]!],
      SMALL_PLAN.context[0]!,
    ];
    const { subject, jobId } = await plan({ context });
    expect(await answerPlan(subject, jobId, 'Concise, please.')).toMatch(/^Do you prefer it concise or conversational/);
    expect((await readSession(subject, jobId)).policy.conversationStyle).toBe('concise');
    const question = { user: 'ada', preference: 'conversationStyle' };
    expect(await listEvents(subject, jobId, 'PreferenceAsked')).toMatchObject([question]);
    expect(await listEvents(subject, jobId, 'PreferenceAnswered')).toMatchObject([
      { ...question, value: 'concise', words: 'Concise, please.' },
    ]);
    expect(await listEvents(subject, jobId, 'PolicyOverridden')).toEqual([]);
  });

  it('changes the policy of the session by words', async () => {
    const words = { overrides: { talkativeness: 0 }, words: 'be brief today', confidence: 0.9 };
    const { subject, jobId } = await plan({
      context: [[['preference_probe', words], ...SMALL_PLAN.context[0]!]],
      approval: [[['summarizer', { text: 'long '.repeat(100), call_to_action: 'Reply.', confidence: 0.9 }]]],
    });
    const { policy, responseText } = await readSession(subject, jobId);
    expect(policy.talkativeness).toBe(0);
    expect(responseText.length).toBeLessThan(180);
  });

  it('stops the plan', async () => {
    const { subject, jobId } = await plan({ context: asking([QUESTION]) });
    await answerPlan(subject, jobId, 'stop');
    expect((await subject.loadJob(jobId)).status).toBe('cancelled');
    expect(await readSession(subject, jobId)).toMatchObject({ planningStatus: 'aborted' });
  });

  it('sends the plan back: the next outline says who wanted the change, and is approved by its own hash', async () => {
    const shorter = change('outline', 'node_generator', {
      nodes: (SMALL_PLAN.outline[0]![1]![1] as { nodes: { id: string }[] }).nodes.map((node) =>
        node.id === 'saw' ? { ...node, estimate_minutes: 120 } : node,
      ),
    });
    const { subject, jobId, requests } = await plan({ outline: [SMALL_PLAN.outline[0]!, shorter] });
    const first = await decidePlan(subject, jobId, 'propose changes: saw for two hours only');
    expect(JSON.stringify(requests[5]!.messages)).toContain('saw for two hours only');
    const { nodes } = (await readArtifact(subject, jobId, 'outline')) as unknown as {
      nodes: { id: string; origin: string }[];
    };
    expect(nodes.map(({ id, origin }) => `${id} ${origin}`)).toEqual([
      ...['build system', 'hull system', 'saw user_feedback', 'glue system'],
    ]);
    expect(await listEvents(subject, jobId, 'PlanAdapted')).toMatchObject([
      { node: 'saw', introducedBy: 'user_feedback', why: 'The person said: saw for two hours only' },
    ]);
    const second = await decidePlan(subject, jobId);
    expect(second['content_hash']).not.toBe(first['content_hash']);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('who does not answer in time finds a new request for the same artifact', async () => {
    const { subject, jobId } = await plan();
    subject.advanceTime(WEEK_MS + 1_000);
    await subject.reconcile();
    await subject.run(jobId);
    expect((await listStates(subject, jobId)).at(-1)).toBe('needs_clarification');
    expect(await readSession(subject, jobId)).toMatchObject({ escalateReason: 'Nobody answered in time.' });
    const [old, renewed] = await listEvents(subject, jobId, 'ApprovalRequested');
    expect(renewed!['arguments']).toMatchObject({ content_hash: (old!['arguments'] as JsonObject)['content_hash'] });
    await decidePlan(subject, jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });
});

describe('a stage', () => {
  it('with low confidence is narrowed, sent back to collect context, and then shown to the person', async () => {
    const unsure = change('outline', 'node_generator', { confidence: 0.1 });
    const { subject, jobId } = await plan({ outline: [unsure] });
    expect(await listStates(subject, jobId)).toEqual([
      ...['open', 'collect_context', 'draft_outline', 'collect_context', 'draft_outline', 'needs_clarification'],
    ]);
    expect((await listEvents(subject, jobId, 'StageAssessed')).map(({ band }) => band)).toEqual([
      ...['retry', 'retry', 'retry'],
    ]);
    expect((await readSession(subject, jobId)).pending).toMatchObject({ kind: 'uncertain', stage: 'outline' });
  });

  it('whose artifact is invalid is drafted twice more, then the person is asked; the answer leads back to it', async () => {
    const invalid = change('outline', 'node_generator', {
      nodes: (SMALL_PLAN.outline[0]![1]![1] as { nodes: object[] }).nodes.map(
        ({ estimate_minutes: _, ...node }: { estimate_minutes?: number }) => node,
      ),
      confidence: 1,
    });
    const { subject, jobId, requests } = await plan({ outline: [invalid, invalid, invalid, SMALL_PLAN.outline[0]!] });
    const states = await listStates(subject, jobId);
    expect(states.filter((state) => state === 'validate_outline')).toHaveLength(3);
    expect(states.at(-1)).toBe('needs_clarification');
    expect(JSON.stringify(requests[2]!.messages)).toContain('estimateMinutes');
    await answerPlan(subject, jobId, 'Four hours and two hours.');
    expect((await listStates(subject, jobId)).at(-1)).toBe('seek_approval');
  });

  it('refuses a tool whose prerequisites are missing', async () => {
    const [select, generate] = SMALL_PLAN.outline[0]!;
    const { subject, jobId } = await plan({ outline: [[generate!], [select!, generate!]] });
    expect(await listEvents(subject, jobId, 'ToolCallFailed')).toMatchObject([{ code: 'prerequisite_missing' }]);
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
  });

  it('continues after a call whose input made no artifact', async () => {
    const wrong = change('outline', 'node_generator', {
      nodes: [{ id: 'a', parent: null, level: 'L1', time: 'once', title: 'A', recurrence: ' ' }],
    });
    const { subject, jobId } = await plan({ outline: [wrong, SMALL_PLAN.outline[0]!] });
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
  });
});

describe('a repeated call', () => {
  it('is answered from the memo of the plan, in every stage; the plan is the same', async () => {
    const twice = (stage: keyof PlanScript) => {
      const calls = SMALL_PLAN[stage][0]!;
      // The tool that ends the stage is called twice before the stage ends, because both calls are of one answer.
      return [[...calls, calls.at(-1)!]];
    };
    const stages = ['context', 'outline', 'roadmap', 'schedule', 'approval'] as const;
    const script = Object.fromEntries(stages.map((stage) => [stage, twice(stage)]));
    const { subject, jobId } = await plan(script);
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
    const requested = await listEvents(subject, jobId, 'ToolCallRequested');
    const ended = await listEvents(subject, jobId, 'ToolCallCompleted');
    const names = new Map(requested.map(({ callId, name }) => [callId, name]));
    const remembered = ended.filter(({ result }) => (result as JsonObject | undefined)?.['memo'] === true);
    expect(remembered.map(({ callId }) => names.get(callId!))).toEqual([
      ...['context_elicitor', 'node_generator', 'roadmap_builder', 'schedule_generator', 'summarizer'],
    ]);
    expect(await listEvents(subject, jobId, 'PlanArtifactRecorded')).toHaveLength(6);
    const plain = await plan();
    const [one, other] = await Promise.all(
      [{ subject, jobId }, plain].map(async (made) => (await readSession(made.subject, made.jobId)).hashes),
    );
    expect(one).toEqual(other);
    await decidePlan(subject, jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('is computed after another artifact replaced its own', async () => {
    const generate = (minutes: number) =>
      change('outline', 'node_generator', {
        nodes: (SMALL_PLAN.outline[0]![1]![1] as { nodes: { id: string }[] }).nodes.map((node) =>
          node.id === 'saw' ? { ...node, estimate_minutes: minutes } : node,
        ),
      })[1]!;
    const { subject, jobId } = await plan({
      outline: [[SMALL_PLAN.outline[0]![0]!, generate(60), generate(120), generate(60)]],
    });
    const outline = (await readArtifact(subject, jobId, 'outline')) as unknown as { nodes: JsonObject[] };
    expect(outline.nodes.find(({ id }) => id === 'saw')).toMatchObject({ estimateMinutes: 60 });
    const ended = await listEvents(subject, jobId, 'ToolCallCompleted');
    expect(ended.filter(({ result }) => (result as JsonObject | undefined)?.['memo'] === true)).toEqual([]);
  });
});

describe('a plan that does not fit', () => {
  const long = change('outline', 'node_generator', {
    nodes: (SMALL_PLAN.outline[0]![1]![1] as { nodes: { id: string }[] }).nodes.map((node) =>
      node.id === 'saw' ? { ...node, estimate_minutes: 9_000 } : node,
    ),
  });

  it('says which constraints contradict each other, offers what would help, and continues with the choice', async () => {
    const { subject, jobId } = await plan({ outline: [long] });
    expect((await listStates(subject, jobId)).at(-1)).toBe('needs_sched_escalation');
    const session = await readSession(subject, jobId);
    expect(session.planningStatus).toBe('needs_scheduling_escalation');
    expect(session.pending).toMatchObject({ kind: 'infeasible', code: 'infeasible' });
    expect(session.responseText).toContain('Saw the planks');
    const conflict = await readArtifact(subject, jobId, 'conflict');
    expect((conflict['choices'] as JsonObject[])[0]!['change']).toMatchObject({ kind: 'context' });
    const { choices } = session.pending as { choices: { id: string }[] };
    expect(choices.length).toBeGreaterThan(0);
    await answerPlan(subject, jobId, choices[0]!.id);
    expect((await listStates(subject, jobId)).at(-1)).toBe('seek_approval');
    await decidePlan(subject, jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });
});

describe('a proposed pattern', () => {
  const proposal = {
    proposal: { level: 'subtype', name: 'proposed:boat_building', rfc: 'No subtype knows glue that dries.' },
  };
  const proposing = { outline: [change('outline', 'pattern_selector', proposal)] };
  const known = {
    outline: [
      ...proposing.outline,
      change('outline', 'pattern_selector', { subtype: 'proposed:boat_building', ...proposal }),
    ],
  };

  it('waits for a person, is approved, and the plan continues with it', async () => {
    const { subject, jobId } = await plan(known, { policy: { autonomy: 'high' } });
    const waiting = await readSession(subject, jobId);
    expect(waiting.pending).toMatchObject({ kind: 'proposal', nearest: 'milestone_project' });
    expect((await listEvents(subject, jobId, 'PlanStatusChanged')).at(-1)).toMatchObject({
      ...{ patternRfcRequired: true, patternRfcText: 'No subtype knows glue that dries.' },
    });
    await answerPlan(subject, jobId, 'approve');
    expect(await listEvents(subject, jobId, 'PatternApproved')).toMatchObject([{ actor: 'ada' }]);
    expect((await listStates(subject, jobId)).at(-1)).toBe('seek_approval');
    expect((await readSession(subject, jobId)).selectedPattern).toMatchObject({ subtype: 'proposed:boat_building' });
  });

  it('that is refused is not raised again; the nearest canonical pattern is used', async () => {
    const { subject, jobId } = await plan(proposing);
    await answerPlan(subject, jobId, 'refuse');
    expect((await listStates(subject, jobId)).at(-1)).toBe('seek_approval');
    expect(await listEvents(subject, jobId, 'PatternProposed')).toHaveLength(1);
    const { selectedPattern } = await readSession(subject, jobId);
    expect(selectedPattern).toMatchObject({ patternType: 'milestone_project' });
    expect(selectedPattern?.subtype).toBeUndefined();
  });

  it('is used at once where the tenant requires no approval, and recorded as a change', async () => {
    const agents = await loadPlanner({ proposals: { REQUIRE_RFC_FOR_NEW_SUBTYPE: false } });
    const { subject, jobId } = await plan(proposing, {}, { agents });
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
    expect(await listEvents(subject, jobId, 'PlanAdapted')).toMatchObject([{ artifact: 'context' }]);
  });

  it('is dropped where the tenant allows none', async () => {
    const agents = await loadPlanner({ proposals: { ALLOW_NEW_SUBTYPE_PROPOSALS: false } });
    const { subject, jobId } = await plan(proposing, {}, { agents });
    expect(await listStates(subject, jobId)).toEqual(WHOLE_PATH);
    expect((await readSession(subject, jobId)).selectedPattern?.subtype).toBeUndefined();
  });
});

describe('a cap', () => {
  it('of the session ends the plan as aborted', async () => {
    const { subject, jobId } = await plan({}, {}, { pricePerMillion: 1_000 });
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'aborted', failure: { code: 'cap_exceeded' } });
  });

  it('of a turn asks the person before the next call', async () => {
    // Three of these calls cost 0.30 USD.
    const usage = { inputTokens: 100_000, cachedInputTokens: 0, outputTokens: 0, estimated: false };
    const { policy, requests } = playPlan({}, usage);
    const subject = await createPlanner(opened.store, policy);
    const jobId = await startPlan(subject, GOAL);
    expect((await listStates(subject, jobId)).at(-1)).toBe('needs_clarification_turn');
    expect(requests).toHaveLength(3);
    expect(await readSession(subject, jobId)).toMatchObject({
      ...{ planningStatus: 'needs_clarification', escalateReason: 'turn_cost' },
      responseText: expect.stringContaining('This turn cost $0.30'),
    });
    expect((await listEvents(subject, jobId, 'PlanStatusChanged')).at(-1)).toMatchObject({
      planningStatus: 'needs_clarification',
    });
    expect(await answerPlan(subject, jobId, 'continue')).toBe(
      "The plan has its context, outline, and roadmap, and the schedule is next. This turn cost $0.30, more than its ceiling of $0.30.\n\nReply 'continue' or 'stop'.",
    );
    expect(requests).toHaveLength(5);
    expect((await listStates(subject, jobId)).at(-1)).toBe('seek_approval');
    const statuses = (await listEvents(subject, jobId, 'PlanStatusChanged')).map(
      ({ planningStatus }) => planningStatus,
    );
    expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual([
      ...['in_progress', 'needs_clarification', 'in_progress', 'needs_clarification'],
    ]);
  });

  it('of a turn shortens the conversation that later prompts show', async () => {
    const cheap = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 0, estimated: false };
    const { policy: play, requests } = playPlan();
    // The first turn ends with the request for approval; one call of the next one passes the ceiling.
    const policy: Policy = async (request, signal) => {
      const reply = await play(request, signal);
      return { ...reply, usage: requests.length === 6 ? { ...cheap, inputTokens: 320_000 } : cheap };
    };
    const subject = await createPlanner(opened.store, policy);
    const jobId = await startPlan(subject, GOAL);
    expect((await readSession(subject, jobId)).approval?.subject).toBe('schedule');
    await decidePlan(subject, jobId, `Call it Albatross. ${'It has to be tight. '.repeat(150)}`);
    expect((await listStates(subject, jobId)).at(-1)).toBe('needs_clarification_turn');
    const before = await readSession(subject, jobId);
    await answerPlan(subject, jobId, 'continue');

    const after = await readSession(subject, jobId);
    const [expensive, next] = requests.slice(5).map((request) => JSON.stringify(request).length);
    expect(next!).toBeLessThan(expensive!);
    expect(JSON.stringify(after.messages).length).toBeLessThan(JSON.stringify(before.messages).length / 2);
    expect(after.messages.map(({ text }) => text).join()).toContain('Call it Albatross.');
    expect(after.hashes).toMatchObject(before.hashes);
    expect(after.approval?.subject).toBe('schedule');
  });
});
