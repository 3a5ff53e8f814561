export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Parses a `Range` header (RFC 9110, one range). Undefined when there is none or it is of another kind, in which case
 * the response is the whole file; `unsatisfiable` when it starts after the end.
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length };
  }
  const offset = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < offset) return undefined;
  return offset >= size ? 'unsatisfiable' : { offset, length: last - offset + 1 };
}
