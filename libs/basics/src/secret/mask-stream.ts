import { MaskedStream } from './masked-stream.js';
import type { SecretMask } from './secret-mask.js';

/** Masks secrets in content that is streamed, wherever its chunks end. `onFound` is called before the first chunk that contained one. */
export async function* maskStream(
  source: AsyncIterable<Uint8Array>,
  mask: SecretMask,
  onFound: () => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (mask.isEmpty) return yield* source;
  const stream = new MaskedStream(mask);
  let isFound = false;
  const check = (): void => {
    if (isFound || !stream.hasMasked) return;
    isFound = true;
    onFound();
  };
  for await (const chunk of source) {
    const masked = stream.push(chunk);
    check();
    if (masked.byteLength > 0) yield masked;
  }
  const rest = stream.end();
  check();
  if (rest.byteLength > 0) yield rest;
}
