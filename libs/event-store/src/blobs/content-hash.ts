import { createHash, hash as hashOf, type Hash } from 'node:crypto';
import { PIECE_BYTES } from './piece.js';

/** A piece of large content. */
export interface HashedPiece {
  /** SHA-256 of its bytes, 64 hex digits. */
  readonly hash: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Computes the content hash of chunks incrementally; needs only 64 characters per MiB of content. Up to PIECE_BYTES the hash is the
 * SHA-256 of the bytes, above that it is computed from the pieces (`computePiecesHash`).
 */
export class ContentHash {
  private piece: Hash = createHash('sha256');
  private pieceBytes = 0;
  private readonly pieces: HashedPiece[] = [];

  update(bytes: Uint8Array): this {
    for (let from = 0; from < bytes.byteLength;) {
      // End a full piece only when more bytes follow, so that content of exactly one piece keeps its plain SHA-256.
      if (this.pieceBytes === PIECE_BYTES) this.endPiece();
      const part = bytes.subarray(from, from + PIECE_BYTES - this.pieceBytes);
      this.piece.update(part);
      this.pieceBytes += part.byteLength;
      from += part.byteLength;
    }
    return this;
  }

  /** Returns the content hash, 64 hex digits. Do not call `update` afterwards. */
  digest(): string {
    if (this.pieces.length === 0) return this.piece.digest('hex');
    this.endPiece();
    return computePiecesHash(this.pieces);
  }

  private endPiece(): void {
    this.pieces.push({ hash: this.piece.digest('hex'), size: this.pieceBytes });
    this.piece = createHash('sha256');
    this.pieceBytes = 0;
  }
}

/** Computes the content hash, which is the name of a file or long text in the log. */
export function contentHash(content: Uint8Array): string {
  if (content.byteLength <= PIECE_BYTES) return hashOf('sha256', content, 'hex');
  return new ContentHash().update(content).digest();
}

/**
 * Computes the hash of content with more than one piece. phaseline.pieces_name (migrations/000003_blobs.sql) implements it in SQL
 * and explains why it is not a plain SHA-256.
 */
export function computePiecesHash(pieces: readonly HashedPiece[]): string {
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  const values = ['phaseline-pieces-1', size, pieces.length, ...pieces.flatMap((piece) => [piece.hash, piece.size])];
  const text = values.map((value) => `${String(value).length}:${value},`).join('');
  return hashOf('sha512', text, 'hex').slice(0, 64);
}
