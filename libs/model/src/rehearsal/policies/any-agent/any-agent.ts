import type { RehearsalAnswer, RehearsalPolicy } from '../../rehearsal-policy.js';
import { act, call, callsOf, finish, giveUp, quoted, sceneOf, type Scene } from '../scene.js';

/** As many todos as most agents want at least. */
const TODOS = { min: 5, max: 20 };
/** What stands in workspace.md once a phase was carried out. */
const MEMORY = 'Rehearsed: the phase was carried out.';

/**
 * Plays an agent that it knows nothing about: goes the way that the workflow sets, plans one phase, and writes each
 * deliverable as a text that says it is none. So an author sees whether a definition works, before a language model costs
 * anything. It calls no tool of the agent's own trade, because it would not know with what.
 */
export const anyAgent: RehearsalPolicy = {
  name: 'any-agent',
  matches: ({ messages }) =>
    messages.some(({ role, content }) => role === 'system' && (content ?? '').startsWith('You are the agent "')),
  answer: (request) => {
    const scene = sceneOf(request);
    return scene.kind === 'tactical' ? carryingOut(scene) : thinking(scene, request.toolNames);
  },
};

function thinking({ todo, onTodo, deliverables, memory }: Scene, toolNames: readonly string[]): RehearsalAnswer {
  // The last todo of the shipped workflow's strategic phases; of others only when it names the tool.
  if (!todo.content.includes('todo_write')) return finish('Rehearsed: nothing was thought about.');
  if (toolNames.includes('job_complete') && memory.includes(MEMORY)) return complete(deliverables);
  const tried = callsOf(onTodo, 'todo_write');
  const last = tried.at(-1)?.result;
  if (last?.startsWith('Wrote ')) return finish('Planned the phase.');
  const [, min, max] = /expected (\d+) to (\d+) todos/.exec(last ?? '') ?? [];
  if (last !== undefined && (tried.length > 1 || max === undefined)) return giveUp(last);
  return plan(deliverables, max === undefined ? TODOS : { min: Number(min), max: Number(max) });
}

function plan(deliverables: readonly string[], { min, max }: { min: number; max: number }): RehearsalAnswer {
  const writing = [...deliverables, 'workspace.md'].map((path) => `\`${path}\``);
  // As many files a todo as it takes to stay below the bound.
  const size = Math.ceil(writing.length / max);
  const todos = Array.from({ length: Math.ceil(writing.length / size) }, (_, i) => {
    const paths = writing.slice(i * size, (i + 1) * size).join(', ');
    return `Write ${paths} as a text that says it was rehearsed.`;
  });
  const filling = Array.from({ length: Math.max(0, min - todos.length) }, (_, i) => `Rehearse step ${i + 1}.`);
  return act(
    '',
    call('todo_write', {
      phase: 'Rehearse',
      description: 'Go through the motions, and write every deliverable.',
      todos: [...filling, ...todos].map((content, index) => ({ id: index + 1, content })),
    }),
  );
}

function carryingOut({ todo, onTodo }: Scene): RehearsalAnswer {
  const failed = onTodo.find(({ result, shown }) => shown === 'whole' && !/^(?:Wrote|Appended)/.test(result));
  if (failed) return giveUp(failed.result);
  const next = quoted(todo.content)[onTodo.length];
  if (next === undefined) return finish('Rehearsed: placeholders at most.');
  if (next === 'workspace.md') return act('', call('append_file', { path: next, content: `\n${MEMORY}\n` }));
  return act('', call('write_file', { path: next, content: placeholder(next) }));
}

function placeholder(path: string): string {
  const words = 'The rehearsal model wrote this in place of the deliverable. No language model was called.';
  return path.endsWith('.json') ? `${JSON.stringify({ rehearsed: words }, null, 2)}\n` : `${words}\n`;
}

function complete(deliverables: readonly string[]): RehearsalAnswer {
  return act(
    '',
    call('job_complete', {
      summary: 'Rehearsed: every phase was gone through, and each deliverable was written as a placeholder.',
      deliverables: [...deliverables],
      confidence: 0,
      notes: 'Played by the rehearsal model, which knows nothing of this agent. Set OPENAI_BASE_URL for a real one.',
    }),
  );
}
