import { branchNameSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { declareDomainPack } from './declare-pack.js';

/** Time for the tool-runner that makes the pull request: a push of a large repository takes minutes. */
const PULL_REQUEST_TIMEOUT_MS = 900_000;

/** Tool that takes the changes of a job out of the system, for agents whose list of tools names it. */
export const repositorySpec = declareDomainPack('repository', {
  open_pull_request: {
    lane: 'remote',
    description:
      'Opens a pull request with all changes in the folder repository, including those that are not committed. Complete the todo of the changes first: it is refused for changes that no accepted claim covers. Call it once, at the end, in an answer of its own: a second call returns the same pull request, without later changes.',
    input: z.strictObject({
      title: z.string().trim().min(1).max(300).describe('What the change does, in one line'),
      body: z.string().trim().min(1).max(60_000).describe('Why, and how it was checked'),
      base: branchNameSchema
        .optional()
        .describe('Branch into which it is to be merged. Default: the branch that was imported.'),
    }),
    result: z.strictObject({ url: z.string(), branch: z.string(), commits: z.int().min(0) }),
    effect: 'once',
    timeoutMs: PULL_REQUEST_TIMEOUT_MS,
    traits: ['not_nestable'],
  },
});
