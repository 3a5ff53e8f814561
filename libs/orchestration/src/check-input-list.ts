import { INPUT_LIST, readInputList, type Workflow } from '@phaseline/domain';
import type { BlobReader } from '@phaseline/workspace';
import type { JobRequest } from './job-request.js';
import { DocumentRefused } from './submit-errors.js';

/**
 * Throws DocumentRefused if the job comes with a list of the items of its loop that cannot be read: its agent could only fail to hand it in,
 * hours later.
 */
export async function checkInputList(
  { items }: Workflow,
  { documents = [] }: Pick<JobRequest, 'documents'>,
  blobs: BlobReader,
): Promise<void> {
  const list = items && documents.find(({ name }) => `documents/${name}` === INPUT_LIST);
  if (!list) return;
  const { content } = list;
  const bytes = content instanceof Uint8Array ? content : await blobs.get(content.hash);
  const read = bytes && readInputList(Buffer.from(bytes).toString());
  if (read && 'problem' in read) throw new DocumentRefused(read.problem);
}
