import { expect, it } from 'vitest';
import { readBeginning } from './read-beginning.js';

/** A stream of chunks, and how many of them were taken. */
function streamOf(...chunks: readonly Uint8Array[]) {
  const taken = { chunks: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const chunk = chunks[taken.chunks];
        taken.chunks += 1;
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel: () => {
        taken.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, taken };
}
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

it('reads a short text whole', async () => {
  expect(await readBeginning(streamOf(encode('grün '), encode('und blau')).stream, 100)).toEqual({
    ...{ text: 'grün und blau', isCut: false },
  });
  expect(await readBeginning(streamOf().stream, 100)).toEqual({ text: '', isCut: false });
  expect(await readBeginning(streamOf(encode('1234')).stream, 4)).toEqual({ text: '1234', isCut: false });
});

it('reads only the beginning of a long text, without half a character, and cancels the rest', async () => {
  const { stream, taken } = streamOf(encode('12345'), encode('6ü890'), encode('never read'));
  expect(await readBeginning(stream, 7)).toEqual({ text: '123456', isCut: true });
  expect(taken).toEqual({ chunks: 2, isCancelled: true });
});

it('says of bytes that they are not text', async () => {
  expect(await readBeginning(streamOf(new Uint8Array([0xff, 0xfe, 0x41])).stream, 10)).toEqual({ isCut: false });
  expect(await readBeginning(streamOf(encode('a\0b')).stream, 10)).toEqual({ isCut: false });
});

it('passes on that the connection broke', async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new TypeError('network error')) });
  await expect(readBeginning(broken, 10)).rejects.toThrow('network error');
});
