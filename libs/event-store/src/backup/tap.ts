import { Transform } from 'node:stream';

/** Creates a stream that passes every chunk on unchanged and calls `onChunk` with it. */
export function createTap(onChunk: (chunk: Buffer) => void): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      onChunk(chunk);
      done(null, chunk);
    },
  });
}
