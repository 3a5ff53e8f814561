import { z } from 'zod';

export const workspaceFileSchema = z
  .object({
    /** Relative to the workspace, with `/`. */
    path: z.string(),
    /** In bytes. */
    size: z.int().min(0),
    /**
     * Name of the content, 64 hex digits; also its ETag. Up to 1 MiB (1,048,576 bytes) it is the SHA-256 of the content. Above that,
     * it is the first half of the SHA-512 over a list of 1 MiB pieces (docs/audit.md).
     */
    hash: z.string(),
  })
  .meta({ id: 'WorkspaceFile' });
export type WorkspaceFile = z.infer<typeof workspaceFileSchema>;

/** The workspace of a job as it was at a position, by path. */
export const fileListSchema = z
  .object({ jobId: z.uuid(), files: z.array(workspaceFileSchema) })
  .meta({ id: 'FileList' });
export type FileList = z.infer<typeof fileListSchema>;
