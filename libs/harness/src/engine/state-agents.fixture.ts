import { agentDefinitionSchema, workflowSchema, type AgentDefinitionInput } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import type { AgentSource, ResolvedAgent } from '@phaseline/orchestration';
import type { ToolPack } from '@phaseline/tools';
import { Engine, type Policy, type Reply } from './engine.js';
import { call, calls, parsePrompt } from './scripts.js';

const RETURN_SCHEMA = {
  type: 'object',
  properties: {
    summary: { type: 'string', minLength: 1 },
    artifacts: { type: 'array', items: { type: 'string' } },
    defects: { type: 'array' },
  },
  required: ['summary'],
  additionalProperties: false,
};

const tools = { workspace: ['read_file', 'write_file'], strategic: ['todo_complete'], tactical: ['todo_complete'] };

export function defineAgent(name: string, changes: Partial<AgentDefinitionInput> = {}) {
  return agentDefinitionSchema.parse({ name, displayName: name, tools: { ...tools, domain: [] }, ...changes });
}

const returning = { returns: { schema: 'schemas/return.json' }, schemas: { 'schemas/return.json': RETURN_SCHEMA } };
export const coder = defineAgent('coder', returning);
export const tester = defineAgent('tester', returning);

/** A coder and a tester follow each other until the tester finds no defect; then the agent of the job reports. */
export const codeAndTest = (changes: { readonly code?: object; readonly test?: object } = {}) =>
  workflowSchema.parse({
    name: 'code-and-test',
    version: 1,
    start: 'code',
    states: {
      code: {
        agent: 'coder',
        kind: 'tactical',
        title: 'Code',
        todos: ['Write work/result.txt.'],
        finish: 'coded',
        outcomes: {
          coded: { to: 'test' },
          impossible: { end: 'blocked', code: 'task_impossible', items: '/defects', when: 'returned', early: true },
        },
        ...changes.code,
      },
      test: {
        agent: 'tester',
        kind: 'tactical',
        title: 'Test',
        todos: ['Read the result.'],
        finish: 'passed',
        outcomes: {
          passed: { to: 'report' },
          failed: { to: 'code', when: 'returned' },
        },
        ...changes.test,
      },
      report: {
        kind: 'strategic',
        title: 'Report',
        todos: ['Write output/report.md.'],
        finish: 'reported',
        outcomes: { reported: { end: 'completed' } },
      },
    },
  });

const HASH = '0'.repeat(64);

/** Source of one agent, `lead`, with a workflow that names others. */
export function createAgentSource(changes: Partial<ResolvedAgent> = {}): AgentSource {
  const resolved: ResolvedAgent = {
    definition: defineAgent('lead'),
    hash: HASH,
    instructions: 'Lead the work.\n',
    workflow: codeAndTest(),
    workflowHash: HASH,
    agents: [
      { definition: coder, hash: HASH, instructions: 'Write code.\n' },
      { definition: tester, hash: HASH, instructions: 'Test code.\n' },
    ],
    ...changes,
  };
  return { resolve: () => resolved };
}

const returnCall = (result: object, outcome?: string): [string, object] => [
  'phase_return',
  { ...(outcome === undefined ? {} : { outcome }), result },
];

export const write = (path: string, content: string): [string, object] => ['write_file', { path, content }];

/** Ends the phase: works on the last todo, and returns. */
export const workAndReturn = (work: [string, object], result: object, outcome?: string): Reply =>
  calls(work, returnCall(result, outcome));

export const returnOnly = (result: object, outcome?: string): Reply => call(...returnCall(result, outcome));

/** Answers of each phase by its number, in order; after the last one the phase gets the same again. */
export type Script = Readonly<Record<number, readonly Reply[]>>;

export interface Played {
  readonly engine: Engine;
  /** The messages of every request, by the number of its phase. */
  readonly prompts: Map<number, string[]>;
}

/** Creates an engine whose model plays a script, and keeps what it was asked. */
export function playScript(
  store: EventLog,
  script: Script,
  agents: AgentSource = createAgentSource(),
  packs: readonly ToolPack[] = [],
): Played {
  const prompts = new Map<number, string[]>();
  const policy: Policy = (request) => {
    const { phase, turn } = parsePrompt(request);
    prompts.set(phase, [...(prompts.get(phase) ?? []), request.messages.map(({ content }) => content).join('\n\n')]);
    const replies = script[phase] ?? [];
    const reply = replies[Math.min(turn, replies.length - 1)];
    if (!reply) throw new Error(`the script has no answer for phase ${phase}`);
    return reply;
  };
  return { engine: new Engine({ store, policy, agents, packs }), prompts };
}

/** The answers of the agent of the job in its last phase. */
export const REPORT: readonly Reply[] = [
  calls(write('output/report.md', 'All tests passed.\n'), ['todo_complete', {}]),
];
