import { workflowSchema, type StoredItem } from '@phaseline/domain';
import { contentHash, type EventLog } from '@phaseline/event-store';
import { checksSpec } from '@phaseline/pack-specs';
import { featuresPack } from '@phaseline/inline-packs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import type { VerifierDefinition } from '@phaseline/contracts';
import { Engine, type Policy, type Reply } from './engine.js';
import { isReflection } from './reflexion.fixture.js';
import { call, calls, parsePrompt } from './scripts.js';
import { createAgentSource, defineAgent, write } from './state-agents.fixture.js';

const RETURN_SCHEMA = {
  type: 'object',
  properties: { summary: { type: 'string' }, features: { type: 'array' }, setup: {}, next_steps: {} },
  additionalProperties: false,
};
const returning = { returns: { schema: 'schemas/return.json' }, schemas: { 'schemas/return.json': RETURN_SCHEMA } };
export const unit: VerifierDefinition = { name: 'unit', kind: 'unit', argv: ['node', '--test'] };

interface Changes {
  readonly coded?: object;
  readonly failed?: object;
  /** Retries of the states that work on a feature. */
  readonly retries?: number;
}

/** The loop over features with one todo per phase. */
const loop = ({ coded = {}, failed = {}, retries = 0 }: Changes = {}) =>
  workflowSchema.parse({
    name: 'feature-loop',
    version: 1,
    start: 'list',
    items: { file: 'feature-list.json', session: 'session-state.json', attempts: 2, work: 'code' },
    states: {
      list: {
        ...{ agent: 'lister', kind: 'strategic', title: 'List', todos: ['List the features.'], finish: 'listed' },
        outcomes: { listed: { to: 'code', item: 'listed' } },
      },
      code: {
        ...{ agent: 'coder', kind: 'tactical', title: 'Code', todos: ['Write the feature.'], finish: 'coded' },
        ...{ failure: 'failed', retries },
        outcomes: {
          coded: { to: 'test', item: 'implemented', handoff: {}, ...coded },
          failed: { to: 'code', none: 'report', item: 'failed', when: 'returned', early: true },
        },
      },
      test: {
        ...{ agent: 'tester', kind: 'tactical', title: 'Test', todos: ['Test the feature.'], finish: 'passed' },
        ...{ failure: 'failed', retries },
        outcomes: {
          passed: { to: 'code', none: 'report', item: 'tested' },
          failed: { to: 'code', none: 'report', item: 'failed', when: 'returned', early: true, handoff: {}, ...failed },
        },
      },
      report: {
        ...{ kind: 'strategic', title: 'Report', todos: ['Write output/report.md.'], finish: 'reported' },
        outcomes: {
          blocked: {
            end: 'blocked',
            code: 'features_blocked',
            when: [{ file: { path: 'feature-list.json', matches: '"status": "blocked"' } }],
          },
          reported: { end: 'completed' },
        },
      },
    },
  });

/** A run of the verifier, as its proof says. */
interface ProofRun {
  readonly proved: boolean;
  readonly reason?: string;
  readonly coverage?: { readonly coveredLines: number; readonly totalLines: number };
}

/** A verifier whose proofs are given, and the arguments with which it was called. */
function createVerifier(proofs: readonly ProofRun[]): { readonly pack: ToolPack; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const pack = implementPack(checksSpec, {
    run_verifier: async (_context, { proof }) => {
      const { proved, reason = '', coverage } = proofs[asked.length] ?? { proved: true };
      asked.push(proof);
      const content = Buffer.from(`run ${asked.length}`);
      const hash = contentHash(content);
      return {
        content: 'passed',
        blobs: [{ hash, content }],
        result: {
          ...{ outcome: 'passed' as const, reason: '', definition: '0'.repeat(64), changedInputs: [] },
          proof: { proved, reason, cases: [], baseline: { outcome: 'failed' as const, reason: '' } },
          ...(coverage ? { coverage } : {}),
          output: { hash, size: content.length },
        },
      };
    },
  });
  return { pack, asked };
}

export const feature = (id: string): StoredItem => ({
  ...{ id, description: `The feature ${id}.`, ui: false },
  checks: [{ verifier: 'unit', tests: [`${id} works`] }],
});

/** Hands in features. */
export const list = (...features: readonly object[]): Reply =>
  calls(write('notes/project.md', 'The project.\n'), ['submit_features', { features }]);
/** Implements a feature in a file of its own. */
export const code = (id: string, text = 'works\n'): Reply =>
  calls(write(`src/${id}.txt`, text), ['phase_return', { result: { summary: `wrote ${id}` } }]);
export const pass = (): Reply =>
  calls(['read_file', { path: 'feature-list.json' }], ['phase_return', { result: { summary: 'it works' } }]);
export const fail = (summary: string): Reply =>
  calls(['read_file', { path: 'feature-list.json' }], ['phase_return', { outcome: 'failed', result: { summary } }]);
export const report = (): Reply => calls(write('output/report.md', 'Done.\n'), ['todo_complete']);

interface Play {
  /** Answers by the number of the phase; after the last one the phase gets the same again. */
  readonly script: Readonly<Record<number, readonly Reply[]>>;
  readonly proofs?: readonly ProofRun[];
  readonly changes?: Changes;
  /** Answers of the judge, in order; no objection after them. */
  readonly judge?: readonly string[];
  /** Settings of the agents that write code and that test. */
  readonly coder?: object;
  readonly tester?: object;
  /** Answers to the questions of reflections, in order. */
  readonly reflections?: readonly string[];
}

/** Plays a job of the loop. */
export function playLoop(
  store: EventLog,
  { script, proofs = [], changes, judge = [], coder = {}, tester = {}, reflections = [] }: Play,
) {
  const { pack, asked } = createVerifier(proofs);
  const prompts = new Map<number, string[]>();
  const judged: string[] = [];
  const reflected: string[] = [];
  const policy: Policy = (request) => {
    const texts = request.messages.map(({ content }) => content);
    if (texts[0]?.includes('"objection"')) {
      judged.push(texts.join('\n'));
      return { content: judge[judged.length - 1] ?? '{"objection": false, "reason": ""}' };
    }
    if (isReflection(request)) {
      reflected.push(texts.join('\n'));
      return { content: reflections[reflected.length - 1] ?? '' };
    }
    const { phase, turn } = parsePrompt(request);
    prompts.set(phase, [...(prompts.get(phase) ?? []), texts.join('\n\n')]);
    const replies = script[phase] ?? [call('todo_complete')];
    return replies[Math.min(turn, replies.length - 1)]!;
  };
  const agent = (name: string, extra: object = {}) => ({
    definition: defineAgent(name, { ...returning, ...extra }),
    hash: '0'.repeat(64),
    instructions: `You are ${name}.\n`,
  });
  const agents = createAgentSource({
    workflow: loop(changes),
    agents: [agent('lister'), agent('coder', coder), agent('tester', { verifiers: [unit], ...tester })],
  });
  return {
    engine: new Engine({ store, policy, agents, packs: [pack, featuresPack] }),
    asked,
    prompts,
    judged,
    reflected,
  };
}
