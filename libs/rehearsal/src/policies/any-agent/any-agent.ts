import type { RehearsalAnswer, RehearsalPolicy } from '../../rehearsal-policy.js';
import {
  act,
  call,
  filterCalls,
  finishTodo,
  reportBlocked,
  extractBackticked,
  readScene,
  type Scene,
} from '../scene.js';
import { callOf, listDemandedChanges, readDemanded } from '../strategic-moves.js';

/** Default limits for the number of todos; the minimum suits most agents. */
const DEFAULT_TODO_COUNT = { min: 5, max: 20 };
/** Marker written to workspace.md after a tactical phase. */
const MEMORY_MARKER = 'Rehearsed: the phase was carried out.';

/**
 * Plays any agent: follows the workflow, plans one phase, and writes a placeholder for each deliverable. This lets an
 * author check a definition before paying for a language model. It calls none of the agent's special tools, because it
 * does not know their arguments.
 */
export const anyAgentPolicy: RehearsalPolicy = {
  name: 'any-agent',
  matches: ({ messages }) =>
    messages.some(({ role, content }) => role === 'system' && (content ?? '').startsWith('You are the agent "')),
  answer: (request) => {
    const scene = readScene(request);
    return scene.kind === 'tactical' ? playTactical(scene, request.toolNames) : playStrategic(scene, request.toolNames);
  },
};

function playStrategic(scene: Scene, toolNames: readonly string[]): RehearsalAnswer {
  const { todo, callsOnTodo, deliverables, memory } = scene;
  const demanded = readDemanded(scene) ?? changeDemanded(scene, toolNames);
  if (demanded) return demanded;
  // The last todo of a strategic phase in the shipped workflow. In other workflows, a todo that names the tool.
  if (!todo.content.includes('todo_write')) return lookAround(callsOnTodo, toolNames) ?? finishTodo('Rehearsed.');
  if (toolNames.includes('job_complete') && memory.includes(MEMORY_MARKER)) return completeJob(deliverables);
  const attempts = filterCalls(callsOnTodo, 'todo_write');
  const lastResultText = attempts.at(-1)?.result;
  if (lastResultText?.startsWith('Wrote ')) return finishTodo('Planned the phase.');
  const [, min, max] = /expected (\d+) to (\d+) todos/.exec(lastResultText ?? '') ?? [];
  if (lastResultText !== undefined && (attempts.length > 1 || max === undefined)) return reportBlocked(lastResultText);
  return planPhase(deliverables, max === undefined ? DEFAULT_TODO_COUNT : { min: Number(min), max: Number(max) });
}

function planPhase(deliverables: readonly string[], { min, max }: { min: number; max: number }): RehearsalAnswer {
  const paths = [...deliverables, 'workspace.md'];
  // Number of files per todo that keeps the number of todos below the maximum.
  const size = Math.ceil(paths.length / max);
  const todos = Array.from({ length: Math.ceil(paths.length / size) }, (_, i) => {
    const files = paths.slice(i * size, (i + 1) * size);
    const quoted = files.map((path) => `\`${path}\``).join(', ');
    return { content: `Write ${quoted} as a text that says it was rehearsed.`, outputs: files };
  });
  const fillers = Array.from({ length: Math.max(0, min - todos.length) }, (_, i) => ({
    content: `Rehearse step ${i + 1}.`,
    outputs: [callOf('*')],
  }));
  return act(
    '',
    call('todo_write', {
      phase: 'Rehearse',
      description: 'Complete each todo, and write every deliverable.',
      todos: [...fillers, ...todos].map((todo, index) => ({ id: index + 1, ...todo })),
    }),
  );
}

function playTactical({ todo, calls, callsOnTodo: allOnTodo }: Scene, toolNames: readonly string[]): RehearsalAnswer {
  if (toolNames.includes('ask_person') && filterCalls(calls, 'ask_person').length === 0) return askPerson();
  // Every answer of a person, and none, lets the rehearsal continue.
  const callsOnTodo = allOnTodo.filter(({ name }) => name !== 'ask_person');
  const failed = callsOnTodo.find(
    ({ name, result, shown }) =>
      /^(?:write|append)_file$/.test(name) && shown === 'whole' && !/^(?:Wrote|Appended)/.test(result),
  );
  if (failed) return reportBlocked(failed.result);
  const next = extractBackticked(todo.content)[callsOnTodo.length];
  if (next === undefined && callsOnTodo.length === 0) {
    const look = lookAround(callsOnTodo, toolNames);
    if (look) return look;
  }
  if (next === undefined) return finishTodo('Rehearsed; deliverables are placeholders.');
  if (next === 'workspace.md') return act('', call('append_file', { path: next, content: `\n${MEMORY_MARKER}\n` }));
  return act('', call('write_file', { path: next, content: toPlaceholder(next) }));
}

/** Changes the files that the current todo wants to be changed, in one answer. */
function changeDemanded(scene: Scene, toolNames: readonly string[]): RehearsalAnswer | undefined {
  const changed = scene.callsOnTodo
    .filter(({ name }) => /^(?:write|append)_file$/.test(name))
    .map(({ arguments: args }) => args['path']);
  const unchanged = listDemandedChanges(scene).filter((path) => !changed.includes(path));
  const text = `Rehearsed todo ${scene.todo.id} of "${scene.phase}": every deliverable is written as a placeholder in one phase of work, and then the job is completed.`;
  const changes = unchanged.map((path) =>
    toolNames.includes('append_file')
      ? call('append_file', { path, content: `\n${text}\n` })
      : call('write_file', {
          path,
          content: `${path === 'workspace.md' ? `${scene.memory.trim()}\n\n` : ''}${text}\n`,
        }),
  );
  return changes.length === 0 ? undefined : act('', ...changes);
}

/** Calls that change nothing, and that most agents can make. */
const LOOKS = [call('list_files', {}), call('read_file', { path: 'instructions.md' })];

/** A todo without any work is not accepted, so the rehearsal at least looks at the files of the job. */
function lookAround(callsOnTodo: Scene['callsOnTodo'], toolNames: readonly string[]): RehearsalAnswer | undefined {
  const look = LOOKS.find(({ name }) => toolNames.includes(name));
  return look && callsOnTodo.length === 0 ? act('', look) : undefined;
}

function askPerson(): RehearsalAnswer {
  return act(
    '',
    call('ask_person', {
      question: 'The rehearsal model asks: which colour should the result have?',
      options: ['red', 'green'],
      deadline: '12h',
      default: 'red',
    }),
  );
}

function toPlaceholder(path: string): string {
  const words = 'The rehearsal model wrote this placeholder. No language model was called.';
  return path.endsWith('.json') ? `${JSON.stringify({ rehearsed: words }, null, 2)}\n` : `${words}\n`;
}

function completeJob(deliverables: readonly string[]): RehearsalAnswer {
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
