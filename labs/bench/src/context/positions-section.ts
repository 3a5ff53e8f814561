import type { ChatMessage, ChatRequest } from '@phaseline/contracts';
import { formatCount, formatPercent, type ContextSection } from './context-section.js';
import { countCachedTokens } from './prompt-cache.js';
import { runWork, type RunOptions } from './run-work.js';

const SEEDS = [7, 8, 9] as const;

/** Where the todo list and workspace.md are in the prompt. */
const POSITIONS = [
  { name: 'list after the system prompt', context: { todoList: 'after-system' }, isMemoryLast: false },
  { name: 'list last, clearTokens 8,000', context: { todoList: 'last', clearTokens: 8_000 }, isMemoryLast: false },
  {
    name: 'list after the system prompt, workspace.md last',
    context: { todoList: 'after-system' },
    isMemoryLast: true,
  },
  { name: 'both last, clearTokens 8,000', context: { todoList: 'last', clearTokens: 8_000 }, isMemoryLast: true },
] as const;

/** Prices of a token that is read from the cache and of one that is written into it, relative to one without a cache. */
const PRICES = [
  { cached: 0.1, written: 1.25 },
  { cached: 0.1, written: 1 },
  { cached: 0.25, written: 1 },
  { cached: 0.5, written: 1 },
  { cached: 1, written: 1 },
] as const;

/** Title of the part of the system prompt with workspace.md, which is its last one. */
const MEMORY_TITLE = '\n## Memory (workspace.md)';

/*
 * Measures which position of the parts that change is the cheapest at which prices. A completed todo changes the list, and everything after it is
 * new to the cache of a server; a list behind the conversation is itself new at every call. The same holds for workspace.md, which strategic
 * phases write. The lowest price of a row decides how `context.todoList` is chosen where an agent does not set it.
 */
export const positionsSection: ContextSection = {
  name: 'positions',
  run: async ({ quick }) => {
    const work: Omit<RunOptions, 'seed'> = {
      steps: quick ? 60 : 200,
      callsPerTodo: 4,
      todosPerPhase: 6,
      writesMemory: true,
    };
    const rows: string[][] = [];
    for (const { name, context, isMemoryLast } of POSITIONS) {
      let [input, cached] = [0, 0];
      for (const seed of quick ? SEEDS.slice(0, 1) : SEEDS) {
        const requests = (await runWork({ ...work, seed, context })).calls.map(({ request }) => request);
        for (const call of countCachedTokens(isMemoryLast ? requests.map(moveMemory) : requests)) {
          input += call.input;
          cached += call.cached;
        }
      }
      const costs = PRICES.map((price) => (input - cached) * price.written + cached * price.cached);
      rows.push([name, formatCount(input), formatPercent(cached / input), ...costs.map(formatCount)]);
    }
    return [
      {
        title: 'Positions of the todo list and of workspace.md',
        head: [
          '',
          'tokens',
          'cached',
          ...PRICES.map(
            ({ cached, written }) =>
              `cached at ${100 * cached} %${written === 1 ? '' : `, written at ${100 * written} %`}`,
          ),
        ],
        rows,
        notes: [
          'The last columns are input tokens at the price of one that is neither read from the cache nor written into it.',
        ],
      },
    ];
  },
};

/** Moves workspace.md from the end of the system prompt behind the conversation. */
function moveMemory(request: ChatRequest): ChatRequest {
  const [system, ...others] = request.messages;
  const at = system?.role === 'system' ? system.content.indexOf(MEMORY_TITLE) : -1;
  if (at < 0) return request;
  const memory: ChatMessage = { role: 'system', content: system!.content.slice(at + 1) };
  return { ...request, messages: [{ role: 'system', content: system!.content.slice(0, at) }, ...others, memory] };
}
