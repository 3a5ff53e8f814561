import { createCipheriv } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import { ContentHash } from '@phaseline/event-store';

/**
 * Sends a file of a given size to an orchestrator and reads it back, in a separate process, so that the measured
 * memory is only the orchestrator's. Prints the result as JSON. Arguments: base URL, number of bytes.
 */
const [, , url = '', size = ''] = process.argv;
const bytes = Number(size);

/** Yields pseudo-random bytes in pieces, the same every time. */
async function* pieces(): AsyncGenerator<Buffer> {
  const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32, 1), Buffer.alloc(16));
  const zeros = Buffer.alloc(60_000);
  for (let left = bytes; left > 0; left -= zeros.byteLength) yield cipher.update(zeros.subarray(0, left));
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = new ContentHash();
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest();
}

async function* form(): AsyncGenerator<Buffer> {
  yield Buffer.from('--xx\r\ncontent-disposition: form-data; name="agent"\r\n\r\nwriter\r\n');
  yield Buffer.from('--xx\r\ncontent-disposition: form-data; name="files"; filename="large.bin"\r\n\r\n');
  yield* pieces();
  yield Buffer.from('\r\n--xx--\r\n');
}

const submitted = await fetch(`${url}/v1/jobs`, {
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=xx' },
  body: ReadableStream.from(form()),
  duplex: 'half',
} as RequestInit);
const { jobId } = (await submitted.json()) as { jobId: JobId };
const received = await fetch(`${url}/v1/jobs/${jobId}/files/documents/large.bin`);
const hashes = { sent: await hashOf(pieces()), received: await hashOf(received.body!) };
process.stdout.write(JSON.stringify({ status: submitted.status, jobId, ...hashes }));
