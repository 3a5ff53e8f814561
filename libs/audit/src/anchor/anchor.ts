import { hash } from 'node:crypto';
import type { StreamId } from '@phaseline/contracts';
import { leafHash } from './merkle.js';

/** Version and hash of the last event of a stream, as recorded in an anchor. */
export interface AnchoredStreamHead {
  readonly streamId: StreamId;
  readonly version: number;
  /** 64 hex digits. */
  readonly hash: string;
}

/** The signed content of an anchor. Hashes and the key id are hex. */
export interface AnchorStatement {
  /** Number of the anchor, consecutive from 1. */
  readonly number: number;
  /** Hash of the previous anchor; zeros for the first. */
  readonly previousHash: string;
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, from the clock of the anchoring process, not of the database. */
  readonly anchoredAt: string;
  /** SHA-256 of the public key (DER). */
  readonly keyId: string;
  /** Transaction id below which every event is anchored. */
  readonly horizon: string;
  /** Greatest anchored position. */
  readonly position: number;
  /** Total number of streams, and of events, covered by this anchor and all earlier ones. */
  readonly streams: number;
  readonly events: number;
  /** Number of streams that changed since the previous anchor: the leaves of the Merkle tree. */
  readonly heads: number;
  readonly root: string;
}

export interface Anchor extends AnchorStatement {
  readonly hash: string;
  /** Ed25519 signature of `toAnchorText`, hex. */
  readonly signature: string;
}

/** `previousHash` of the first anchor. */
export const FIRST_PREVIOUS_HASH = '0'.repeat(64);

/** Canonical text of an anchor, which is hashed and signed. phaseline.anchor_hash (migrations/000005_anchors.sql) implements it in SQL. */
export function toAnchorText(anchor: AnchorStatement): string {
  return [
    'phaseline-anchor-1',
    anchor.number,
    anchor.previousHash,
    anchor.anchoredAt,
    anchor.keyId,
    anchor.horizon,
    anchor.position,
    anchor.streams,
    anchor.events,
    anchor.heads,
    anchor.root,
  ]
    .map((value) => netstring(String(value)))
    .join('');
}

export function computeAnchorHash(anchor: AnchorStatement): string {
  return hash('sha256', toAnchorText(anchor), 'hex');
}

/** Merkle leaf of a head: the hash of its stream, version and hash. */
export function computeHeadLeaf({ streamId, version, hash }: AnchoredStreamHead): Buffer {
  return leafHash(netstring(streamId) + netstring(String(version)) + netstring(hash));
}

function netstring(value: string): string {
  return `${Buffer.byteLength(value)}:${value},`;
}
