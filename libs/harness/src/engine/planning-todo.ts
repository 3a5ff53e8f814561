import type { ChatRequest } from '@phaseline/contracts';
import type { Reply } from './engine.js';
import { calls, parsePrompt } from './scripts.js';

const PLAN_TEXT =
  'The goal is what instructions.md asks for. The approach is to do the todos one after the other, and to check each result.';

/**
 * Does what the shipped workflow demands of a planning todo, and completes it: reads the files that the list in
 * the prompt names, and then changes workspace.md and main_plan.md. Appends to the notes of the job where append_file is offered, so that they are kept.
 */
export function doPlanningTodo(request: ChatRequest): Reply {
  const { phase, turn } = parsePrompt(request);
  // Clients may join the system messages.
  const setting = request.messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n');
  const memory = setting.split('## Memory (workspace.md)\n').at(-1)!.split('═══')[0]!;
  const toRead = new Set([
    'instructions.md',
    ...[...setting.matchAll(/^ +- (\S+) read from/gm)].map(([, path]) => path!),
  ]);
  const line = `Phase ${phase}, answer ${turn + 1}.`;
  const offers = (tool: string): boolean => request.tools.some(({ name }) => name === tool);
  return calls(
    ...[...toRead].map((path): [string, object] => ['read_file', { path }]),
    offers('append_file')
      ? ['append_file', { path: 'workspace.md', content: `\n${line}\n` }]
      : ['write_file', { path: 'workspace.md', content: `${memory.trimEnd()}\n\n${line}\n` }],
    [
      offers('write_file') ? 'write_file' : 'append_file',
      { path: 'main_plan.md', content: `# Plan\n\n${PLAN_TEXT}\n\n${line}\n` },
    ],
    ['todo_complete'],
  );
}
