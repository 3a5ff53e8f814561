import { branchNameSchema, jobIdSchema, repositoryOutputKinds, wellFormedText } from '@phaseline/contracts';
import { z } from 'zod';

/** A request for the changes of a job as a branch or a pull request. */
export const publishRequestSchema = z
  .strictObject({
    kind: z.enum(['branch', 'pull_request']),
    /** Name of the branch; by default one that starts with `phaseline/`. */
    branch: branchNameSchema.optional(),
    /** Branch into which a pull request is to be merged; by default the imported one. */
    base: branchNameSchema.optional(),
    title: wellFormedText().min(1).max(300).optional(),
    body: wellFormedText().max(60_000).optional(),
    /** Makes the output although no accepted claim covers its files, and marks it as unverified. */
    draft: z.boolean().optional(),
  })
  .meta({ id: 'PublishRequest' });
export type PublishRequest = z.input<typeof publishRequestSchema>;

/** A request for a patch. The body may be absent. */
export const patchRequestSchema = publishRequestSchema.pick({ draft: true }).meta({ id: 'PatchRequest' });
export type PatchRequest = z.input<typeof patchRequestSchema>;

/** An output that was requested, and what became of it. */
const repositoryOutputSchema = z
  .object({
    output: z.string(),
    kind: z.enum(repositoryOutputKinds),
    status: z.enum(['open', 'made', 'failed']),
    /** Who requested it. */
    actor: z.string(),
    /** Hash of the last commit. */
    head: z.string().optional(),
    commits: z.int().min(0).optional(),
    /** Whether the last commit contains work that the agent did not commit. */
    includesUncommitted: z.boolean().optional(),
    /** Set for a draft whose files no accepted claim covers. */
    unverified: z.literal(true).optional(),
    branch: z.string().optional(),
    /** Address of the pull request. */
    url: z.string().optional(),
    /** Why it could not be made. */
    failure: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'RepositoryOutput' });
export type RepositoryOutputRecord = z.infer<typeof repositoryOutputSchema>;

/** The repository of a job. */
export const jobRepositorySchema = z
  .object({
    jobId: jobIdSchema,
    url: z.string().optional(),
    path: z.string().optional(),
    ref: z.string(),
    /** The imported commit; absent until it was imported. */
    commit: z.string().optional(),
    branch: z.string().optional(),
    fileCount: z.int().min(0).optional(),
    submodules: z.int().min(0).optional(),
    /** Outputs in the order of their requests. */
    outputs: z.array(repositoryOutputSchema),
  })
  .meta({ id: 'JobRepository' });
export type JobRepositoryResponse = z.infer<typeof jobRepositorySchema>;

export const outputRequestedSchema = z
  .object({
    jobId: jobIdSchema,
    /** Id of the output. */
    output: z.string(),
    /** False if the same output was already requested and is not made yet. */
    created: z.boolean(),
  })
  .meta({ id: 'OutputRequested' });
export type OutputRequested = z.infer<typeof outputRequestedSchema>;
