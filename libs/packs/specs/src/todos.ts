import { TODOS_FILE } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const notes = z.string().max(4_000).optional().describe('What was done or found, for the archive');
const todoId = z.int().describe('Number of the todo in the list');
const MAX_REASON_CHARACTERS = 2_000;

const outputs = z
  .array(z.union([z.string().max(500), z.looseObject({})]))
  .max(20)
  .optional()
  .describe(
    'What the todo produces: paths of files, or checks such as {"file": {"path": "notes.md", "minBytes": 200}}. The todo is done when all of them hold. A check that holds already is refused',
  );

const plannedTodo = z.object({
  id: z.int().optional().describe('Numbered from 1 if omitted'),
  content: z.string().max(2_000),
  covers: z
    .array(z.union([z.string().max(50), z.int()]))
    .max(200)
    .optional()
    .describe('Open todos of earlier lists that this one replaces, such as "4-2"'),
  outputs,
});

/**
 * Tools for planning, progress and completion. An agent's definition chooses between the plain set (`todo_…`, `job_complete`)
 * and the finer one, which works on the same list with the same events, one small step per call.
 */
export const todosSpec = declarePack('todos', {
  todo_write: {
    lane: 'inline',
    description: `Writes the todos of the next phase to ${TODOS_FILE}, replacing the previous list, with the name of the phase and its objective. Each todo is one concrete step that can be checked, with the files that it produces as 'outputs'. Open todos of earlier lists must be included with the same text, or named in 'covers'. To report that no phase of the plan is left, pass 'plan_complete' without todos.`,
    traits: ['not_nestable', 'strategic_only'],
    input: z.object({
      phase: z.string().max(200).optional().describe('Name of the next phase. Required with todos'),
      description: z
        .string()
        .max(2_000)
        .optional()
        .describe('Objective of the phase: what it is to achieve. Required with todos'),
      todos: z.array(plannedTodo).max(500).default([]),
      plan_complete: z
        .boolean()
        .optional()
        .describe('True if every phase of the plan is carried out. The final todos follow automatically'),
    }),
  },
  todo_complete: {
    lane: 'inline',
    description:
      'Marks the current todo as done. Call it when the todo is finished. Todos are completed in order; the next one becomes the current one.',
    traits: ['claims_completion', 'changes_todos', 'not_nestable'],
    input: z.object({ notes }),
  },
  todo_rewind: {
    lane: 'inline',
    description:
      'Abandons the whole list because it cannot be carried out as planned. The list is archived with the issue, and a planning phase revises the plan. Open todos are not dropped: the next plan must cover each of them. Use it when the approach is wrong, not when a single todo is difficult.',
    traits: ['not_nestable', 'tactical_only'],
    input: z.object({
      issue: z
        .string()
        .min(1)
        .max(4_000)
        .describe('What does not work, what was tried, and what could be done instead'),
    }),
  },
  job_complete: {
    lane: 'inline',
    description:
      'Completes the whole job. Call it when the plan is carried out and every deliverable exists. Only the last todo may still be open.',
    traits: ['claims_completion', 'not_nestable', 'strategic_only'],
    input: z.object({
      summary: z.string().min(1).max(20_000).describe('What was done'),
      deliverables: z.array(z.string().max(500)).max(200).default([]).describe('Paths of the requested files'),
      confidence: z.number().min(0).max(1).describe('Confidence in the result, from 0 to 1'),
      notes: z.string().max(20_000).default('').describe('What a person should know or check'),
    }),
  },
  phase_return: {
    lane: 'inline',
    description:
      'Ends the phase and returns its result to the agent that continues. The system prompt says which outcomes exist and what the result must contain. Only the last todo may still be open, unless the outcome says otherwise.',
    traits: ['claims_completion', 'not_nestable'],
    input: z.object({
      outcome: z.string().max(200).optional().describe('How the phase ended; the usual outcome if omitted'),
      result: z
        .record(z.string(), z.json())
        .describe('The result, as its schema demands. No logs and no copies of files'),
      settled: z
        .array(z.string().max(2_000))
        .max(100)
        .default([])
        .describe('Decisions and defects of your summary that no longer hold or are resolved, word for word'),
    }),
  },
  add_todo: {
    lane: 'inline',
    description: 'Adds one todo to the end of the current list: a concrete step that can be checked.',
    traits: ['changes_todos'],
    input: z.object({
      content: z.string().max(2_000).describe('What to do, and how to recognise that it is done'),
      outputs,
    }),
  },
  start_todo: {
    lane: 'inline',
    description:
      'Marks the current todo as in progress. Todos are completed in order, so only the current one can be started.',
    traits: ['changes_todos'],
    input: z.object({ todo_id: todoId }),
  },
  complete_todo: {
    lane: 'inline',
    description:
      'Marks a todo as done. Call it when the todo is finished. Todos are completed in order, so it must be the current one, or a blocked one.',
    traits: ['claims_completion', 'changes_todos', 'not_nestable'],
    input: z.object({ todo_id: todoId, notes }),
  },
  block_todo: {
    lane: 'inline',
    description:
      'Reports that a todo cannot be done at present, with the reason, which is shown to people. Continue with the todo that is then the current one. A blocked todo stays open and the phase cannot end without it: complete it, or call unblock_todo, when the reason is gone.',
    traits: ['changes_todos'],
    input: z.object({
      todo_id: todoId.optional().describe('Number of the todo in the list; the current todo if omitted'),
      reason: z
        .string()
        .min(1)
        .max(MAX_REASON_CHARACTERS)
        .describe('What is missing or does not work, and what would have to happen'),
    }),
  },
  unblock_todo: {
    lane: 'inline',
    description:
      'Reports that a blocked todo can be done now. It takes its place in the order of the list again, and becomes the current one before those that follow it.',
    traits: ['changes_todos'],
    input: z.object({
      todo_id: todoId.optional().describe('Number of the todo in the list; the first blocked todo if omitted'),
    }),
  },
  list_todos: {
    lane: 'inline',
    description: 'Lists the todos of the current list with their status and notes, and why some are blocked.',
    traits: ['bookkeeping'],
    input: z.object({}),
  },
  get_progress: {
    lane: 'inline',
    description: 'Returns the number of todos that are done, in progress, pending and blocked.',
    traits: ['bookkeeping'],
    input: z.object({}),
  },
  get_next_todo: {
    lane: 'inline',
    description: 'Returns the current todo.',
    traits: ['bookkeeping'],
    input: z.object({}),
  },
  archive_and_reset: {
    lane: 'inline',
    description:
      'Closes the list: it is archived, and the next phase starts with a new one. If todos are open, an issue is required and the call is a rewind: the next plan must cover each of them.',
    traits: ['claims_completion', 'not_nestable'],
    input: z.object({
      issue: z
        .string()
        .max(4_000)
        .optional()
        .describe('Why the open todos cannot be done. Required only if todos are open'),
    }),
  },
});
