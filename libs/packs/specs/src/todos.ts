import { TODOS_FILE } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const notes = z.string().max(4_000).optional().describe('What was done or found, for the archive');
const todoId = z.int().describe('Number of the todo in the list');

const plannedTodo = z.object({
  id: z.int().optional().describe('Counted from 1 when left out'),
  content: z.string().max(2_000),
  covers: z
    .array(z.union([z.string().max(50), z.int()]))
    .max(200)
    .optional()
    .describe('Open todos of earlier lists that this one takes the place of, such as "4-2"'),
});

/**
 * Tools for planning, progress and completion. An agent's definition chooses between the plain set (`todo_…`, `job_complete`)
 * and the finer one, which works on the same list with the same events, one small step per call.
 */
export const todosSpec = declarePack('todos', {
  todo_write: {
    lane: 'inline',
    description: `Writes the todos of the next phase to ${TODOS_FILE}, replacing what was planned there. Each todo is one concrete step that can be checked. Open todos of earlier lists have to be in it: word for word, or in 'covers'. With 'plan_complete' and no todos it says that no phase is left.`,
    traits: ['not_nestable', 'strategic_only'],
    input: z.object({
      phase: z.string().max(200).optional().describe('Name of the next phase'),
      description: z.string().max(2_000).optional().describe('What the phase is to achieve'),
      todos: z.array(plannedTodo).max(500).default([]),
      plan_complete: z
        .boolean()
        .optional()
        .describe('Every phase of the plan is carried out; the final todos follow by themselves'),
    }),
  },
  todo_complete: {
    lane: 'inline',
    description:
      'Marks the current todo as done, once it really is. Todos are done in order; the next one becomes the current one.',
    traits: ['claims_completion', 'changes_todos', 'not_nestable'],
    input: z.object({ notes }),
  },
  todo_rewind: {
    lane: 'inline',
    description:
      'Gives the whole list up because it cannot be carried out as it is. It is archived with the issue, and a planning phase reconsiders the plan. Open todos are not dropped: the next plan has to account for each. Use it when the approach is wrong, not when one todo is hard.',
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
      'Ends the whole job, once the plan is carried out and every deliverable exists. Only the last todo may still be open.',
    traits: ['claims_completion', 'not_nestable', 'strategic_only'],
    input: z.object({
      summary: z.string().min(1).max(20_000).describe('What was done'),
      deliverables: z
        .array(z.string().max(500))
        .max(200)
        .default([])
        .describe('Paths of the files that the job was asked for'),
      confidence: z.number().min(0).max(1).describe('How sure you are that the job is done well, 0 to 1'),
      notes: z.string().max(20_000).default('').describe('What a person should know or check'),
    }),
  },
  add_todo: {
    lane: 'inline',
    description: 'Adds one todo to the end of the current list: a concrete step that can be checked.',
    traits: ['changes_todos'],
    input: z.object({ content: z.string().max(2_000).describe('What is to be done, and when it is done') }),
  },
  start_todo: {
    lane: 'inline',
    description:
      'Marks the current todo as being worked on. Todos are done in order, so only the current one can begin.',
    traits: ['changes_todos'],
    input: z.object({ todo_id: todoId }),
  },
  complete_todo: {
    lane: 'inline',
    description: 'Marks that todo as done, once it really is. Todos are done in order: it has to be the current one.',
    traits: ['claims_completion', 'changes_todos', 'not_nestable'],
    input: z.object({ todo_id: todoId, notes }),
  },
  list_todos: {
    lane: 'inline',
    description: 'Lists all todos of the current list with their state and notes.',
    input: z.object({}),
  },
  get_progress: {
    lane: 'inline',
    description: 'Says how many todos of the current list are done, being worked on and pending.',
    input: z.object({}),
  },
  get_next_todo: {
    lane: 'inline',
    description: 'Says which todo is to be done now.',
    input: z.object({}),
  },
  archive_and_reset: {
    lane: 'inline',
    description:
      'Closes the list: it is archived, and the next phase begins with a fresh one. With open todos it needs an issue, and is then a rewind: the next plan has to account for each of them.',
    traits: ['claims_completion', 'not_nestable'],
    input: z.object({
      issue: z.string().max(4_000).optional().describe('Why open todos cannot be done; only where some are open'),
    }),
  },
});
