import { callIdSchema, repositoryOutputKinds } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { contentName, treeSchema } from '../phase/file-events.js';

const count = z.int().min(0);

/** The repository that was requested: exactly one of `url` and `path`. The URL contains no credentials. */
export const requestedRepositorySchema = z.object({
  url: z.string().optional(),
  path: z.string().optional(),
  ref: z.string(),
  /** Name of the secret with the access token of the URL. */
  secret: z.string().optional(),
});

const repositoryImported = defineEvent(
  'RepositoryImported',
  1,
  'The repository of the job was imported at one commit. Its files, with those of `.git`, are part of the workspace of the first phase.',
  z.object({
    url: z.string().optional(),
    path: z.string().optional(),
    ref: z.string(),
    /** Hash of the commit in hex. */
    commit: z.string(),
    /** Hash of the tree of that commit, as git computes it. */
    treeHash: z.string(),
    /** Branch on which the agent works. */
    branch: z.string(),
    /** Number of files of the commit, without those of `.git`. */
    fileCount: count,
    /** Size of these files in bytes. */
    bytes: count,
    /** Number of submodules. They are not followed: their folders are empty. */
    submodules: count,
    /** The files of the commit and of `.git`. */
    tree: treeSchema,
  }),
);

const repositoryImportFailed = defineEvent(
  'RepositoryImportFailed',
  1,
  'The repository of the job could not be imported. The job fails for this reason.',
  z.object({ code: z.string(), message: z.string() }),
);

const repositoryChanged = defineEvent(
  'RepositoryChanged',
  1,
  'The head of the repository moved: the agent made commits, or chose another one.',
  z.object({
    phase: z.int().min(1),
    callId: callIdSchema.optional(),
    /** Hash of the commit that is the head now. */
    head: z.string(),
    /** The newest commits that were made, oldest first, with the first line of their messages. */
    commits: z.array(z.object({ commit: z.string(), subject: z.string() })).max(100),
  }),
);

const repositoryOutputRequested = defineEvent(
  'RepositoryOutputRequested',
  2,
  'The changes of the job to its repository were requested: as a patch, a branch or a pull request.',
  z.object({
    output: z.string(),
    kind: z.enum(repositoryOutputKinds),
    actor: z.string(),
    /** Name of the branch; absent for a patch. */
    branch: z.string().optional(),
    /** Branch into which a pull request is to be merged. */
    base: z.string().optional(),
    title: z.string().optional(),
    body: z.string().optional(),
    callId: callIdSchema.optional(),
    /** Whether the output is made although its files are not accepted. It is then marked. */
    draft: z.literal(true).optional(),
  }),
);

const repositoryOutputMade = defineEvent(
  'RepositoryOutputMade',
  2,
  'The requested output was made.',
  z.object({
    output: z.string(),
    /** Hash of the last commit of the output. */
    head: z.string(),
    /** Number of commits after the imported one. */
    commits: count,
    /** Whether the last commit is one of the system, with work that the agent did not commit. */
    includesUncommitted: z.boolean(),
    /** Set for a draft whose files no accepted claim covers. */
    unverified: z.literal(true).optional(),
    patch: z.object({ hash: contentName, size: count }).optional(),
    branch: z.string().optional(),
    /** Address of the pull request. */
    url: z.string().optional(),
  }),
);

const repositoryOutputFailed = defineEvent(
  'RepositoryOutputFailed',
  1,
  'The requested output could not be made. It can be requested again.',
  z.object({ output: z.string(), code: z.string(), message: z.string() }),
);

export const repositoryEventDefinitions = [
  repositoryImported,
  repositoryImportFailed,
  repositoryChanged,
  repositoryOutputRequested,
  repositoryOutputMade,
  repositoryOutputFailed,
] as const;
