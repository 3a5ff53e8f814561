import { hash } from 'node:crypto';
import { leafHash } from './merkle.js';

/** A stream's last event, as a seal holds it. */
export interface SealHead {
  readonly streamId: string;
  readonly version: number;
  /** 64 hex digits. */
  readonly hash: string;
}

/** What a seal says, and what its signature is over. Hashes and the key id are hex. */
export interface SealStatement {
  /** 1, 2, 3, … */
  readonly number: number;
  /** Of the seal before; zeros before the first. */
  readonly previousHash: string;
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ` by the clock of the one who sealed, not of the database. */
  readonly sealedAt: string;
  /** SHA-256 of the public key (DER). */
  readonly keyId: string;
  /** Every event whose transaction id is below this one is sealed. */
  readonly horizon: string;
  /** The greatest position that is sealed. */
  readonly position: number;
  /** How many streams and events this seal and those before it cover. */
  readonly streams: number;
  readonly events: number;
  /** How many streams have changed since the seal before: the leaves of the root. */
  readonly heads: number;
  readonly root: string;
}

export interface Seal extends SealStatement {
  readonly hash: string;
  /** Ed25519 over the text; hex. */
  readonly signature: string;
}

/** What the first seal names as the one before it. */
export const SEAL_START = '0'.repeat(64);

/** The text that is hashed and signed; phaseline.seal_hash (migrations/000006) is the same in SQL. */
export function sealText(seal: SealStatement): string {
  return [
    'phaseline-seal-1',
    seal.number,
    seal.previousHash,
    seal.sealedAt,
    seal.keyId,
    seal.horizon,
    seal.position,
    seal.streams,
    seal.events,
    seal.heads,
    seal.root,
  ]
    .map((value) => netstring(String(value)))
    .join('');
}

export function sealHash(seal: SealStatement): string {
  return hash('sha256', sealText(seal), 'hex');
}

/** The leaf of a head: its stream, version and hash. */
export function headLeaf({ streamId, version, hash }: SealHead): Buffer {
  return leafHash(netstring(streamId) + netstring(String(version)) + netstring(hash));
}

function netstring(value: string): string {
  return `${Buffer.byteLength(value)}:${value},`;
}
