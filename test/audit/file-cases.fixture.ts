import { LIMITS, type Cases, type SharedCase } from './tampering-case.fixture.js';

/**
 * The stream 'f' has four events: a small file, a file of three pieces, a tree with another small file, and a long text. Words in braces
 * are replaced by content hashes.
 */
export const fileCases: Cases<SharedCase> = {
  blobs: [
    {
      name: 'a file altered without changing its length',
      sql: [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 2) WHERE hash = {small}`],
      online: ['f 1 file-altered'],
    },
    {
      name: 'a file altered and its length changed',
      sql: [`UPDATE phaseline.blobs SET content = content || 'more' WHERE hash = {small}`],
      online: ['f 1 file-altered'],
    },
    {
      name: 'a file emptied',
      sql: [`UPDATE phaseline.blobs SET content = '' WHERE hash = {small}`],
      online: ['f 1 file-altered'],
    },
    {
      name: 'a file removed',
      sql: [`DELETE FROM phaseline.blobs WHERE hash = {small}`],
      online: ['f 1 file-missing'],
    },
    {
      name: 'two files with exchanged contents',
      sql: [
        `UPDATE phaseline.blobs AS b SET content = o.content FROM phaseline.blobs AS o
       WHERE (b.hash, o.hash) IN (({small}, {tree}), ({tree}, {small}))`,
      ],
      online: ['f 1 file-altered', 'f 3 file-altered'],
    },
    {
      name: 'a file larger than one row may be',
      sql: [`UPDATE phaseline.blobs SET content = decode(repeat('00', 1048577), 'hex') WHERE hash = {small}`],
      online: ['f 1 file-altered'],
    },
    {
      name: 'a file from the initial tree of a phase removed',
      sql: [`DELETE FROM phaseline.blobs WHERE hash = {tree}`],
      online: ['f 3 file-missing'],
    },
    {
      name: 'a file from the initial tree of a phase altered',
      sql: [`UPDATE phaseline.blobs SET content = 'forged' WHERE hash = {tree}`],
      online: ['f 3 file-altered'],
    },
    {
      name: 'a long text removed',
      sql: [`DELETE FROM phaseline.blobs WHERE hash = {text}`],
      online: ['f 4 file-missing'],
    },
    {
      name: 'a long text altered',
      sql: [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 9) WHERE hash = {text}`],
      online: ['f 4 file-altered'],
    },
    {
      name: 'small content stored under the name of a large file',
      sql: [`INSERT INTO phaseline.blobs (hash, content) VALUES ({large}, 'forged')`],
      online: ['f 2 file-altered'],
    },
    {
      name: 'the file hash in an event, replaced by that of another file',
      sql: [
        `UPDATE phaseline.events SET data = replace(data::text, encode({small}, 'hex'), encode({tree}, 'hex'))::json WHERE stream_id = '{f}' AND version = 1`,
      ],
      // The size of the other file differs as well.
      online: ['f 1 altered', 'f 1 file-altered'],
    },
    {
      name: 'content that no event refers to',
      sql: [`INSERT INTO phaseline.blobs (hash, content) VALUES (sha256('{f}'), 'forged')`],
      online: [],
      limit: LIMITS.unnamed,
    },
    {
      name: 'the time of storage and the marks of the blob collector',
      sql: [
        `UPDATE phaseline.blobs SET stored_at = '2001-01-01' WHERE hash IN ({small}, {tree})`,
        'DELETE FROM phaseline.blob_marks WHERE hash IN ({small}, {tree})',
      ],
      online: [],
      limit: LIMITS.derived,
    },
  ],
  manifests: [
    {
      name: 'the list of pieces removed',
      sql: [
        `DELETE FROM phaseline.blob_pieces WHERE hash = {large}`,
        `DELETE FROM phaseline.blob_manifests WHERE hash = {large}`,
      ],
      online: ['f 2 file-missing'],
    },
    {
      name: 'a piece removed from the list',
      sql: [`DELETE FROM phaseline.blob_pieces WHERE hash = {large} AND number = 1`],
      online: ['f 2 file-altered'],
    },
    {
      name: 'a piece added to the list',
      sql: [`INSERT INTO phaseline.blob_pieces (hash, number, piece) VALUES ({large}, 3, {first})`],
      online: ['f 2 file-altered'],
    },
    {
      name: 'two pieces swapped in the list',
      sql: [
        `UPDATE phaseline.blob_pieces SET piece = CASE number WHEN 0 THEN {second} ELSE {first} END WHERE hash = {large} AND number < 2`,
      ],
      online: ['f 2 file-altered'],
    },
    {
      name: 'a piece in the list replaced by another file',
      sql: [`UPDATE phaseline.blob_pieces SET piece = {first} WHERE hash = {large} AND number = 1`],
      online: ['f 2 file-altered'],
    },
    {
      name: 'the numbers of pieces in the list, in the same order',
      sql: [`UPDATE phaseline.blob_pieces SET number = number + 5 WHERE hash = {large}`],
      online: ['f 2 file-altered'],
      // The exported content is still correct.
      offline: [],
    },
    {
      name: 'the number of pieces',
      sql: [`UPDATE phaseline.blob_manifests SET pieces = 9 WHERE hash = {large}`],
      online: ['f 2 file-altered'],
      offline: [],
    },
    {
      name: 'the size of a large file',
      sql: [`UPDATE phaseline.blob_manifests SET size = size - 1 WHERE hash = {large}`],
      online: ['f 2 file-altered'],
    },
    {
      name: 'the list of pieces under another name',
      sql: [
        `INSERT INTO phaseline.blob_manifests SELECT sha256('{f}'), size, pieces, stored_at FROM phaseline.blob_manifests WHERE hash = {large}`,
        `UPDATE phaseline.blob_pieces SET hash = sha256('{f}') WHERE hash = {large}`,
        `DELETE FROM phaseline.blob_manifests WHERE hash = {large}`,
      ],
      online: ['f 2 file-missing'],
    },
    {
      name: 'a list of pieces under the name of a small file',
      sql: [
        `INSERT INTO phaseline.blob_manifests SELECT {small}, size, pieces, stored_at FROM phaseline.blob_manifests WHERE hash = {large}`,
        `INSERT INTO phaseline.blob_pieces SELECT {small}, number, piece FROM phaseline.blob_pieces WHERE hash = {large}`,
      ],
      // It is never read, because the row of the small file takes precedence.
      online: [],
      limit: LIMITS.unnamed,
    },
    {
      name: 'a piece altered',
      sql: [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 1000) WHERE hash = {second}`],
      online: ['f 2 file-altered'],
    },
    {
      name: 'a piece removed',
      sql: [`DELETE FROM phaseline.blobs WHERE hash = {second}`],
      online: ['f 2 file-missing'],
    },
    {
      name: 'the last piece cut',
      sql: [`UPDATE phaseline.blobs SET content = substring(content FOR 3) WHERE hash = {last}`],
      online: ['f 2 file-altered'],
    },
  ],
};
