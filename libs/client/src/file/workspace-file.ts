import { z } from 'zod';

export const workspaceFileSchema = z
  .object({
    /** Relative to the workspace, with `/`. */
    path: z.string(),
    /** In bytes. */
    size: z.int().min(0),
    /** SHA-256 of the content, in hex; also the ETag of the content. */
    hash: z.string(),
  })
  .meta({ id: 'WorkspaceFile' });
export type WorkspaceFile = z.infer<typeof workspaceFileSchema>;

/** The workspace of a job as it was at a position, by path. */
export const fileListSchema = z
  .object({ jobId: z.uuid(), files: z.array(workspaceFileSchema) })
  .meta({ id: 'FileList' });
export type FileList = z.infer<typeof fileListSchema>;
