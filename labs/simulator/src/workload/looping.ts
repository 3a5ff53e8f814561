import { workflowSchema, type AgentDefinitionInput } from '@phaseline/domain';
import type { Roll } from '@phaseline/harness';
import { checkingAgent, VERIFIER } from './claiming.js';
import type { Plan } from './job-name.js';
import type { Call } from './sim-call.js';

/** The agents of a loop beside that of the job, by the state that they work in. */
export const LOOP_ROLES = ['lister', 'coder', 'tester'] as const;

const SCHEMA = { type: 'object', properties: { summary: { type: 'string' } } };
const returns = { schema: 'schemas/return.json' };

/** The members of an agent of a loop. The one that tests has the verifier that proves an item. */
export function loopingAgent(agent: string, role: (typeof LOOP_ROLES)[number]): Partial<AgentDefinitionInput> {
  const { verifiers, judges } = checkingAgent(agent);
  return {
    ...(role === 'tester' ? { verifiers, judges } : {}),
    deliverables: [],
    returns,
    schemas: { [returns.schema]: SCHEMA },
  };
}

/** Handoffs from the agent that codes to the one that tests end in time, most of them. */
const HANDOFF_MS = 15_000;

/** The loop: items are listed, coded and tested one after the other; one that fails twice is blocked, and its files return to their beginning. */
export function loopOf(job: string) {
  const state = (role: (typeof LOOP_ROLES)[number], finish: string) =>
    ({ agent: `${job}-${role}`, title: role, todos: ['Work on it.'], finish, retries: 3, backoffMs: 500 }) as const;
  const failed = { to: 'code', none: 'report', item: 'failed', when: 'returned', early: true };
  return workflowSchema.parse({
    name: 'loop',
    version: 1,
    start: 'list',
    items: { file: 'items.json', session: 'session.json', attempts: 2, work: 'code' },
    states: {
      list: {
        ...{ ...state('lister', 'listed'), kind: 'strategic' },
        outcomes: { listed: { to: 'code', item: 'listed', handoff: {} } },
      },
      code: {
        ...{ ...state('coder', 'coded'), kind: 'tactical', failure: 'failed', archive: true },
        outcomes: {
          coded: { to: 'test', item: 'implemented', handoff: { requires: ['src/*'], timeoutMs: HANDOFF_MS } },
          failed,
        },
      },
      test: {
        ...{ ...state('tester', 'passed'), kind: 'tactical', failure: 'failed' },
        outcomes: {
          passed: { to: 'code', none: 'report', item: 'tested', handoff: {} },
          failed: { ...failed, handoff: { timeoutMs: HANDOFF_MS } },
        },
      },
      report: {
        ...{ kind: 'strategic', title: 'Report', todos: ['Report.'], finish: 'reported', retries: 3 },
        outcomes: {
          blocked: {
            end: 'blocked',
            code: 'items_blocked',
            when: [{ file: { path: 'items.json', matches: '"status": "blocked"' } }],
          },
          reported: { end: 'completed', gates: ['deliverables'] },
        },
      },
    },
    caps: { phases: 30 },
  });
}

/** What an agent of a loop calls in this turn. */
export function callInLoop({ role, todos }: Plan, phase: number, turn: number, roll: Roll): readonly Call[] {
  const back = (outcome?: string): Call => [
    'phase_return',
    { ...(outcome === undefined ? {} : { outcome }), result: { summary: `turn ${turn}` } },
  ];
  const write: Call = ['write_file', { path: `src/${roll.between(1, 3)}.md`, content: `phase ${phase} turn ${turn}` }];
  switch (role) {
    case 'lister': {
      const features = Array.from({ length: todos }, (_, index) => ({
        id: `item-${index + 1}`,
        description: `Do part ${index + 1}.`,
        checks: [{ verifier: VERIFIER, tests: [`part ${index + 1} works`] }],
      }));
      return [
        ['write_file', { path: 'notes/items.md', content: `turn ${turn}` }],
        ['submit_features', { features }],
      ];
    }
    case 'coder':
      return roll.pick<readonly Call[]>([
        [write, back()],
        [write, ['charge', { amount: turn + 1 }]],
        [['put', { key: `${phase}` }], write, back()],
        [write, back('failed')],
      ]);
    case 'tester':
      return roll.pick<readonly Call[]>([
        [['look', { at: 'it' }], back()],
        [['look', { at: 'it' }], back()],
        [['charge', { amount: turn + 1 }], back()],
        [['look', { at: 'it' }], back('failed')],
      ]);
    default:
      return [
        ['write_file', { path: 'output/report.md', content: `turn ${turn}` }],
        ['todo_complete', {}],
      ];
  }
}
