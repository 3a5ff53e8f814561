import { READ_SKILL } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Tool that reads the skills of the agent. */
export const skillsSpec = declarePack('skills', {
  [READ_SKILL]: {
    lane: 'inline',
    description:
      "Reads a skill: instructions for a kind of work, and the list of its files. With 'file', reads one of these files.",
    traits: ['bookkeeping'],
    input: z.object({
      name: z.string().min(1).max(100).describe('Name of the skill, as in the list of skills'),
      file: z.string().min(1).max(500).optional().describe('Path of a file of the skill, as listed in the skill'),
    }),
  },
});
