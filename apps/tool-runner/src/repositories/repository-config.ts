import { list, milliseconds, wholeNumber } from '@phaseline/service';
import { z } from 'zod';
import { pullRequestKinds } from './pull-request-apis.js';

/** Settings about repositories; docs/how-to/repositories.md describes their use. */
export const repositoryFields = {
  PHASELINE_REPOSITORIES_DIR: z
    .string()
    .default('.phaseline/repositories')
    .describe('the folder in which tool-runner keeps mirrors of repositories'),
  PHASELINE_REPOSITORY_MIRROR_DAYS: wholeNumber('the days after its last use for which a mirror is kept', {
    min: 1,
    max: 36_500,
    default: 30,
  }),
  /** When empty, repositories are only fetched from URLs. */
  PHASELINE_REPOSITORY_ROOTS: list(
    'folders on this machine below which jobs may name a repository, as absolute paths',
    z.string().regex(/^\//),
  ),
  /** When empty, branches are not written to repositories on this machine. */
  PHASELINE_REPOSITORY_PUSH_ROOTS: list(
    'folders on this machine below which branches may be written to a repository, as absolute paths',
    z.string().regex(/^\//),
  ),
  PHASELINE_REPOSITORY_PROTOCOLS: z
    .string()
    .default('https')
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(['https', 'http', 'ssh'])))
    .describe('the protocols of URLs of repositories: "https", "https,ssh", or "https,http" in a trusted network'),
  PHASELINE_REPOSITORY_KNOWN_HOSTS: z
    .string()
    .regex(/^\/[^"\n]*$/)
    .optional()
    .describe('a file with the keys of the hosts that repositories may be fetched from through ssh, as known_hosts'),
  PHASELINE_REPOSITORY_SSH: z
    .string()
    .regex(/^\/[^\n]*$/)
    .default('/usr/bin/ssh')
    .describe('the absolute path of the ssh program'),
  PHASELINE_REPOSITORY_MAX_FILES: wholeNumber('the number of files of a repository', {
    min: 1,
    max: 1_000_000,
    default: 20_000,
  }),
  PHASELINE_REPOSITORY_MAX_BYTES: wholeNumber('the size of the files of a repository in bytes, and of its history', {
    min: 1_000,
    max: 1_000_000_000_000,
    default: 1_000_000_000,
  }),
  PHASELINE_REPOSITORY_TIMEOUT_MS: milliseconds('maximum duration of one git command', 600_000, 1_000),
  /** API of the server that holds the repositories, for pull requests. */
  PHASELINE_PULL_REQUEST_API: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/)
    .default('https://api.github.com')
    .describe(
      'the base URL of the API for pull requests, such as https://host/api/v3 (GitHub) or https://host/api/v4 (GitLab)',
    ),
  PHASELINE_PULL_REQUEST_KIND: z
    .enum(pullRequestKinds)
    .default('github')
    .describe('the kind of that API: "github" or "gitlab"'),
};

export type RepositoryConfig = z.output<z.ZodObject<typeof repositoryFields>>;
