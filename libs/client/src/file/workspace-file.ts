import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

export const workspaceFileSchema = z
  .object({
    /** Path relative to the workspace, with `/` as separator. */
    path: z.string(),
    /** Size in bytes. */
    size: z.int().min(0),
    /**
     * Hash of the content in 64 hex digits; also its ETag. For content of up to 1 MiB (1,048,576 bytes) it is the SHA-256. For larger
     * content it is the first half of the SHA-512 of a list of 1 MiB pieces (docs/concepts/audit.md).
     */
    hash: z.string(),
    /** Time of the last write. */
    writtenAt: z.iso.datetime(),
    /** Absent for a plain file. The content of a link is the path to which it points. */
    mode: z.enum(['executable', 'link']).optional(),
  })
  .meta({ id: 'WorkspaceFile' });
export type WorkspaceFile = z.infer<typeof workspaceFileSchema>;

/** Files in the workspace of a job at a position, ordered by path. */
export const fileListSchema = z
  .object({ jobId: jobIdSchema, items: z.array(workspaceFileSchema) })
  .meta({ id: 'FileList' });
export type FileList = z.infer<typeof fileListSchema>;

const reason = z.string().trim().min(1).max(2_000).optional();

/** Query of a request that writes a file. */
export const writeFileQuerySchema = z.strictObject({
  /** Told to the agent, and recorded. */
  reason,
  /** By default an executable file stays executable. */
  mode: z.enum(['plain', 'executable']).optional(),
});
export type WriteFileQuery = z.infer<typeof writeFileQuerySchema>;

/** Query of a request that deletes a file. */
export const deleteFileQuerySchema = z.strictObject({ reason });
export type DeleteFileQuery = z.infer<typeof deleteFileQuerySchema>;
