import {
  MAX_EXPERIENCE_CHARACTERS,
  MAX_PURPOSE_CHARACTERS,
  EXPERIENCES_FILE,
  experienceKinds,
  FILES_HEADING,
  MEMORY_FILE,
  STATE_HEADING,
} from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Maximum characters per item. The memory is in every prompt, so longer texts belong in separate files. */
export const MAX_ITEM_CHARACTERS = 1_000;

const item = z.object({ text: z.string().min(1).max(MAX_ITEM_CHARACTERS) });

/** Tools for the agent's own memory: workspace.md for this job, experiences.md also for later ones. */
export const memorySpec = declarePack('memory', {
  generate_workspace_summary: {
    lane: 'inline',
    description: `Updates "${STATE_HEADING}" and "${FILES_HEADING}" in ${MEMORY_FILE} now; the system does so at the start of each phase. The rest of the file is not changed.`,
    traits: ['bookkeeping'],
    input: z.object({}),
  },
  describe_file: {
    lane: 'inline',
    description: `Sets the purpose of a file, one line that "${FILES_HEADING}" in ${MEMORY_FILE} shows from then on. An empty purpose removes it.`,
    traits: ['bookkeeping'],
    input: z.object({ path: z.string().min(1).max(1_000), purpose: z.string().max(MAX_PURPOSE_CHARACTERS) }),
  },
  get_workspace_summary: {
    lane: 'inline',
    description: 'Returns the state of the work: the phase, its progress, accomplishments, notes and files.',
    traits: ['bookkeeping'],
    input: z.object({}),
  },
  add_accomplishment: {
    lane: 'inline',
    description: 'Records an accomplishment in workspace.md: a result with its figures and file.',
    traits: ['bookkeeping'],
    input: item,
  },
  add_note: {
    lane: 'inline',
    description:
      'Records in workspace.md something that later phases need to know: a fact, a decision, a special case.',
    traits: ['bookkeeping'],
    input: item,
  },
  add_experience: {
    lane: 'inline',
    description: `Records a failed approach, a lesson or a working pattern in ${EXPERIENCES_FILE}. It is shown to later phases and, if the agent keeps its experiences, to later jobs. Word it so that it also helps with other material.`,
    traits: ['bookkeeping'],
    input: z.object({
      kind: z
        .enum(experienceKinds)
        .describe('failed: an approach that did not work; lesson; works: a pattern that works'),
      text: z.string().min(1).max(MAX_EXPERIENCE_CHARACTERS),
    }),
  },
});
