import { createHash } from 'node:crypto';
import type { EventId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import {
  agentDefinitionSchema,
  findDueReflection,
  foldPhase,
  pickAgentSettings,
  type PhaseEvent,
} from '@phaseline/domain';
import { buildPrompt, hashRequest } from './build-prompt.js';
import { PROMPT_BUILDER } from './prompt-builder.js';
import { buildReflexionPrompt } from './reflexion/reflexion-prompt.js';
import { planSummary } from './summarise.js';

/** Hash of the prompts of one fixed phase, by version. After a change of prompts, raise the version and add a line. */
const HASHES: Readonly<Record<number, string>> = {
  1: '830f79d6f8a7cc989e1af291257f3f7fb1cf003b23e6d683f3ad489eee5451b5',
  2: '7a69cc86dbc2f81d7deaf3dcb875e750e31c00a431f226c826fc9ffc83e93887',
  // Covers a summary and its request since this version.
  3: '70fa8c2652d5d5fc3ad1494d61c81384a703d465d1cafdde5199df1418d560f0',
  // Covers the reflection on a failed attempt and its requests since this version.
  4: '6a215f431f131a54e05e8e598e1fdf72ea0048019ad3996aa75cec9cade74523',
};

/** The same of a phase with precedents, which no release without precedents can read. */
const HASHES_WITH_PRECEDENTS: Readonly<Record<number, string>> = {
  4: '47f14880a8add3adaf845d588db56f93e94187834aef237f5486ed5d3ffb3e85',
};

const agent = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: {} });

function start(kind: 'strategic' | 'tactical'): PhaseEvent {
  return {
    type: 'PhaseStarted',
    data: {
      identity: {
        jobId: '01890000-0000-7000-8000-000000000001',
        phase: 2,
        attempt: 1,
        state: 'work',
        kind,
        name: 'Extract',
        agent: { name: 'tester', displayName: 'Tester', description: 'Tests things.' },
      },
      terms: {
        ...pickAgentSettings(agent),
        model: 'default',
        tools: ['fetch', 'find', 'todo_complete', 'todo_rewind', 'add_todo', 'read_skill', 'search_tools'],
        onDemand: ['find'],
        skills: [{ name: 'reading', description: 'How to read.' }],
        allowance: {},
      },
      plan: {
        todos: [
          { id: 1, content: 'First', status: 'done', note: 'done well' },
          {
            id: 2,
            content: 'Second',
            status: 'open',
            outputs: [{ file: { path: 'output/a.md', changedSince: 'todo' } }],
          },
        ],
        limits: agent.todos,
        deliverables: ['output/a.md'],
        archive: kind === 'tactical',
      },
      workspace: {
        tree: { 'output/a.md': { hash: 'a'.repeat(64), size: 5, writtenAt: '2026-01-01T00:00:00.000Z' } },
      },
      routes: { finish: { outcome: 'done', gates: [] }, rewind: { outcome: 'rewind', gates: [] } },
      notices: ['Mind the appendix.'],
    },
  };
}

const conversation: readonly PhaseEvent[] = [
  {
    type: 'ModelResponded',
    data: {
      step: 1,
      model: 'm',
      content: 'Looking.',
      reasoning: 'It should be there.',
      calls: [
        { callId: 'a', name: 'fetch', arguments: { n: 1 } },
        { callId: 'b', name: 'fetch', malformed: '{"n":' },
      ],
      end: 'calls',
      usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false },
      costMicroUsd: 0,
      durationMs: 0,
    },
  },
  {
    type: 'ToolCallRequested',
    data: {
      callId: 'a',
      step: 1,
      name: 'fetch',
      arguments: { n: 1 },
      lane: 'remote',
      effect: 'pure',
      traits: [],
      timeoutMs: 1,
    },
  },
  {
    type: 'ToolCallDenied',
    data: { callId: 'b', step: 1, name: 'fetch', code: 'malformed_arguments', message: 'not JSON' },
  },
  { type: 'ToolCallCompleted', data: { callId: 'a', content: 'a worked '.repeat(50), attempts: 1, durationMs: 0 } },
  { type: 'PhaseNudged', data: { count: 1, message: 'Work on the todo.' } },
  { type: 'PhaseSteered', data: { actor: 'ada', message: 'Hurry.' } },
];

/** Long enough for a summary to be planned, and one that was written in a phase that ends with a return. */
const summarised: readonly PhaseEvent[] = [
  ...conversation,
  {
    type: 'ModelResponded',
    data: {
      ...(conversation[0] as Extract<PhaseEvent, { type: 'ModelResponded' }>).data,
      ...{ step: 2, calls: [], end: 'stop', content: 'Working.' },
    },
  },
];
const returned = (): readonly PhaseEvent[] => {
  const begin = start('tactical') as Extract<PhaseEvent, { type: 'PhaseStarted' }>;
  const plan = { ...begin.data.plan, returns: { schema: 'schemas/return.json', maxTokens: 1_000 } };
  const summary = '- Looked.\n\n## Decisions\n- Use UTC.';
  const { usage } = (conversation[0] as Extract<PhaseEvent, { type: 'ModelResponded' }>).data;
  const data = { step: 2, model: 'm', summary, entries: 1, usage, costMicroUsd: 0, durationMs: 0 };
  return [{ ...begin, data: { ...begin.data, plan } }, ...summarised, { type: 'ConversationSummarised', data }];
};

/** An attempt after a failed one, before its reflection, between both answers and after them. */
const reflecting = (): readonly (readonly PhaseEvent[])[] => {
  const begin = start('tactical') as Extract<PhaseEvent, { type: 'PhaseStarted' }>;
  const { terms, plan } = begin.data;
  const lastAttempt = {
    ...{ phase: 1, kind: 'phase' as const, task: 'Extract', reason: 'it failed' },
    calls: [
      { name: 'fetch', arguments: '{"n":1}', outcome: 'failed' as const, result: 'no such page' },
      { name: 'find', arguments: '{}', outcome: 'completed' as const },
    ],
    ...{ files: ['output/a.md'], tests: ['unit'] },
  };
  const data = { ...begin.data, terms: { ...terms, reflexion: true }, plan: { ...plan, lastAttempt } };
  const { usage } = (conversation[0] as Extract<PhaseEvent, { type: 'ModelResponded' }>).data;
  const answer = (part: 'assumption' | 'prevention', text: string): PhaseEvent => ({
    type: 'ReflectionRecorded',
    data: { part, text, step: 1, model: 'm', usage, costMicroUsd: 0, durationMs: 0 },
  });
  const answers = [answer('assumption', 'Page 1 exists.'), answer('prevention', 'Check with `find` first.')];
  return [0, 1, 2].map((count) => [{ ...begin, data }, ...answers.slice(0, count)]);
};

/** A phase that begins with promoted learning traces of other jobs. */
const informed = (): PhaseEvent => {
  const begin = start('strategic') as Extract<PhaseEvent, { type: 'PhaseStarted' }>;
  const precedents = [
    { trace: '01890000-0000-7000-8000-000000000009' as EventId, scope: 'project' as const, text: 'Mind page 9.' },
  ];
  return { ...begin, data: { ...begin.data, plan: { ...begin.data.plan, precedents } } };
};

function hashPrompts(phases: readonly (readonly PhaseEvent[])[]): string {
  const hash = createHash('sha256');
  for (const events of phases) {
    const state = foldPhase(events)!;
    const tools = [{ name: 'fetch', description: 'Fetches.', parameters: { type: 'object' } }];
    const texts = { workspaceMemory: 'The document is in German.', experiences: '- A lesson.' };
    hash.update(buildPrompt({ state, tools, ...texts, maxOutputTokens: 100, reasoning: 'with-calls' }).hash);
    hash.update(planSummary(state, 100, hashRequest)?.prompt.hash ?? '-');
    const part = findDueReflection(state);
    if (part) hash.update(buildReflexionPrompt(state, part, hashRequest).hash);
  }
  return hash.digest('hex');
}

it('a change of prompts raises the version of the prompt builder', () => {
  const phases: (readonly PhaseEvent[])[] = [
    [start('tactical')],
    [start('strategic')],
    [start('tactical'), ...conversation],
  ];
  phases.push([start('tactical'), ...summarised], [...returned()], ...reflecting());
  expect({ [PROMPT_BUILDER]: hashPrompts(phases) }).toEqual({ [PROMPT_BUILDER]: HASHES[PROMPT_BUILDER] });
});

it('so does a change of prompts with precedents', () => {
  const hash = hashPrompts([[informed()]]);
  expect({ [PROMPT_BUILDER]: hash }).toEqual({ [PROMPT_BUILDER]: HASHES_WITH_PRECEDENTS[PROMPT_BUILDER] });
});
