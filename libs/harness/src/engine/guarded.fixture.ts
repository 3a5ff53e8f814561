import { workflowSchema, type Guard, type Workflow } from '@phaseline/domain';
import type { JobId } from '@phaseline/contracts';
import type { EventLog } from '@phaseline/event-store';
import { guardsSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolInput } from '@phaseline/tools';
import type { FileChange } from '@phaseline/workspace';
import { Engine, type EngineOptions, type Policy, type Reply } from './engine.js';
import { call } from './scripts.js';

type Body = Guard['body'];

const COMMON = { version: 'a'.repeat(64), scope: 'agent', stage: 'production', owner: 'ada' } as const;

/** A rule of an agent. */
export function rule(name: string, when: Body, then: Body, changes: Partial<Guard> = {}): Guard {
  return { ...COMMON, name, kind: 'rule', points: ['PreToolUse'], onFailure: 'deny', body: { when, then }, ...changes };
}

/** A script of an agent. */
export function script(name: string, points: Guard['points'], code: string, changes: Partial<Guard> = {}): Guard {
  return { ...COMMON, name, kind: 'script', points, onFailure: 'deny', body: { code }, ...changes };
}

/** A hook of an imported guard set. */
export function command(name: string, points: Guard['points'], changes: Partial<Guard> = {}): Guard {
  return { ...COMMON, name, kind: 'command', points, onFailure: 'deny', idempotent: true, body: {}, ...changes };
}

type GuardInput = ToolInput<typeof guardsSpec, 'run_guard'>;

/** The tool that asks command guards, with answers by guard, in order; a guard without an answer has nothing to say. `asked` are its inputs. */
export function createHooks(answers: Readonly<Record<string, readonly (object | undefined)[]>>) {
  const asked: GuardInput[] = [];
  const pack = implementPack(guardsSpec, {
    run_guard: async (_context, input) => {
      const turns = new Map(
        input.guards.map((name) => [name, asked.filter(({ guards }) => guards.includes(name)).length]),
      );
      asked.push(input);
      const decisions: object[] = [];
      const files: FileChange[] = [];
      for (const [guard, turn] of turns) {
        const given = answers[guard]?.[turn];
        if (given instanceof Error) throw given;
        if (given instanceof Promise) await given;
        const { files: spilled = [], ...decision } = (given ?? {}) as { readonly files?: readonly FileChange[] };
        files.push(...spilled);
        if (given) decisions.push({ guard, durationMs: 1, ...decision });
      }
      return { content: '', files, result: { decisions: decisions as never } };
    },
  });
  return { asked, pack };
}

const WRITE_RESULT = 'Write work/result.txt.';
export const WRITE: Reply = call('write_file', { path: 'work/result.txt', content: 'one\n' });
export const CLAIM: Reply = call('todo_complete');

/** A workflow of one state with one todo. */
function createWorkflow(todoChecks: readonly object[]): Workflow {
  return workflowSchema.parse({
    name: 'one-state',
    version: 1,
    start: 'work',
    states: {
      work: {
        kind: 'strategic',
        title: 'Work',
        todos: [todoChecks.length > 0 ? { content: WRITE_RESULT, checks: todoChecks } : WRITE_RESULT],
        finish: 'done',
        outcomes: { done: { end: 'completed' } },
      },
    },
  });
}

export interface GuardedPlay extends Partial<EngineOptions> {
  readonly guards?: readonly Guard[];
  readonly replies?: readonly Reply[];
  /** Checks of the todo. */
  readonly checks?: readonly object[];
}

/** An engine for jobs of one phase under guards, which gives these replies, and then claims its todo. `seen` are the prompts. */
export function playGuarded(store: EventLog, given: GuardedPlay) {
  const { guards = [], replies = [WRITE, CLAIM], checks = [], agent, ...options } = given;
  const seen: string[] = [];
  const policy: Policy = (request) => {
    seen.push(request.messages.map(({ content }) => content).join('\n'));
    return replies[seen.length - 1] ?? CLAIM;
  };
  const tools = { workspace: ['read_file', 'write_file'], strategic: ['todo_complete'], tactical: [], domain: [] };
  const engine = new Engine({
    store,
    policy,
    workflow: createWorkflow(checks),
    agent: { tools, guards: [...guards], ...agent },
    ...options,
  });
  const readEvents = async (jobId: JobId, ...types: string[]) =>
    (await engine.phaseEvents(jobId, 1)).filter(({ type }) => types.length === 0 || types.includes(type));
  return { engine, seen, readEvents };
}
