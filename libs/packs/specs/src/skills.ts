import { READ_SKILL } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Tool that reads the skills of the agent. */
export const skillsSpec = declarePack('skills', {
  [READ_SKILL]: {
    lane: 'inline',
    description:
      'Reads a skill: how a kind of work is to be done, and which files belong to it. With file, reads one of these files.',
    input: z.object({
      name: z.string().min(1).max(100).describe('Of the skill, as in the list of skills'),
      file: z.string().min(1).max(500).optional().describe('A file of the skill, by the path that the skill gives'),
    }),
  },
});
