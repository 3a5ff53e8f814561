import { INPUT_LIST, MAX_INPUT_LIST_BYTES, readInputList, type Workflow } from '@phaseline/domain';
import type { BlobReader } from '@phaseline/workspace';
import type { JobRequest } from './job-request.js';
import { DocumentRefused } from './submit-errors.js';

/**
 * Throws DocumentRefused if the job comes with a list of the items of its loop that cannot be read. Otherwise the job would only fail later,
 * when its agent hands the list in.
 */
export async function checkInputList(
  { items }: Workflow,
  { documents = [] }: Pick<JobRequest, 'documents'>,
  blobs: BlobReader,
): Promise<void> {
  const list = items && documents.find(({ name }) => `documents/${name}` === INPUT_LIST);
  if (!list) return;
  const { content } = list;
  // A document that is a stored file may be larger than the memory of this process.
  const size = content instanceof Uint8Array ? content.byteLength : content.size;
  if (size > MAX_INPUT_LIST_BYTES)
    throw new DocumentRefused(`${INPUT_LIST} has ${size} bytes; at most ${MAX_INPUT_LIST_BYTES} are accepted`);
  const bytes = content instanceof Uint8Array ? content : await blobs.get(content.hash);
  const read = bytes && readInputList(Buffer.from(bytes).toString());
  if (read && 'problem' in read) throw new DocumentRefused(read.problem);
}
