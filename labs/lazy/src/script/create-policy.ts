import { parsePrompt, type Policy, type Reply } from '@phaseline/harness';
import { completeTodo } from './call.js';
import { writePlan, type Answers, type Script } from './script.js';

const NOTHING_TO_DO: Reply = { content: 'Everything is done.' };

/**
 * Policy that plays a script. It has state, so it serves one job: it counts the phases of work that it has planned. When the answers of
 * a phase are used up, it repeats the last one until the phase ends.
 */
export function createPolicy(script: Script): Policy {
  let current = 0;
  let answers: Answers = [];
  let turn = 0;
  let planned = 0;

  const chooseAnswers = (title: string, kind: string): Answers => {
    if (kind === 'tactical') return script.phases[Math.max(planned - 1, 0)]?.work ?? [];
    const next = script.phases[planned];
    const plan: Answers = next ? [[writePlan(next), completeTodo()]] : [];
    if (title.startsWith('Explore')) {
      // A planning phase that is retried plans the first phase again.
      planned = 0;
      const first = script.phases[0];
      return [...script.explore, ...(first ? [[writePlan(first), completeTodo()]] : [])];
    }
    if (title.startsWith('Verify')) return script.conclude;
    return [...script.review, ...(next ? plan : [[['todo_write', { plan_complete: true }], completeTodo()] as const])];
  };

  return (request): Reply => {
    const { phase, kind } = parsePrompt(request);
    if (phase !== current) {
      current = phase;
      turn = 0;
      answers = chooseAnswers(readTitle(request.messages), kind);
    }
    const answer = answers[Math.min(turn, answers.length - 1)] ?? [];
    turn += 1;
    const list = typeof answer === 'function' ? answer(phase) : answer;
    const write = list.find(([name]) => name === 'todo_write');
    if (write && 'todos' in (write[1] ?? {})) planned = 1 + script.phases.findIndex((one) => isPlanOf(write, one.name));
    return list.length === 0 ? NOTHING_TO_DO : { calls: list.map(([name, args = {}]) => ({ name, arguments: args })) };
  };
}

const isPlanOf = ([, args]: readonly [string, object?], name: string): boolean =>
  args !== undefined && 'phase' in args && args.phase === name;

/** Title of the phase, from the todo list in the prompt. */
function readTitle(messages: readonly { readonly content?: string | null }[]): string {
  for (const { content } of messages) {
    const title = /^Phase \d+: (.*?)(?: \(\d+ of \d+\))? \((?:strategic|tactical)\)$/m.exec(content ?? '')?.[1];
    if (title !== undefined) return title;
  }
  return '';
}
