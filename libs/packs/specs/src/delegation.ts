import { DELEGATE } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const MAX_TASK_CHARACTERS = 20_000;
const MAX_INPUTS = 20;
const MAX_PARAMETERS_CHARACTERS = 100_000;

/** Tool that delegates a task to another agent. */
export const delegationSpec = declarePack('delegation', {
  [DELEGATE]: {
    lane: 'inline',
    description:
      "Gives a task to another agent and waits until its job has ended. It sees nothing of this conversation: only the task, the criteria and the files in 'inputs'. Returns its summary; its output files appear in delegated/. Several calls in one answer run side by side.",
    traits: ['not_nestable'],
    input: z.object({
      agent: z.string().min(1).max(63).describe('Name of the agent'),
      task: z.string().trim().min(1).max(MAX_TASK_CHARACTERS).describe('Understandable without this conversation'),
      inputs: z
        .array(z.string().min(1).max(500))
        .max(MAX_INPUTS)
        .default([])
        .describe('Paths of files in the workspace, which the agent finds below documents/'),
      parameters: z
        .record(z.string().min(1).max(100), z.json())
        .refine(
          (value) => JSON.stringify(value).length <= MAX_PARAMETERS_CHARACTERS,
          'are longer than 100,000 characters',
        )
        .optional()
        .describe('Parameters that the agent requires'),
      successCriteria: z.string().trim().min(1).max(4_000).optional().describe('How you will judge the result'),
      maxTokens: z.int().min(1_000).max(2_000).default(1_000).describe('Maximum size of the summary'),
      timeout: z.string().min(1).max(20).default('30m').describe('Maximum working time, such as 30m, 8h or 2d'),
    }),
  },
});
