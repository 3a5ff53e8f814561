import { invalidRequest } from '../problem/validation.pipe.js';

/** Cursors of one kind of list. A cursor contains the position of the last item of a page; to callers it is opaque. */
export class PageCursor {
  /** `kind` is part of each cursor, so that one of another list is refused. */
  constructor(private readonly kind: string) {}

  encode(position: number): string {
    return Buffer.from(`${this.kind}:${position}`).toString('base64url');
  }

  /** Decodes a cursor. Throws ApiProblem. */
  decode(cursor: string): number {
    const text = Buffer.from(cursor, 'base64url').toString();
    const position = Number(text.slice(this.kind.length + 1));
    if (!text.startsWith(`${this.kind}:`) || !Number.isSafeInteger(position) || this.encode(position) !== cursor)
      throw invalidRequest([{ path: 'cursor', message: 'expected the "nextCursor" of the previous page' }]);
    return position;
  }
}
